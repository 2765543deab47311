// The cache of what is made of texts: it keeps what is asked for, and never more than it has room for.
import { expect, test } from 'vitest'
import { Cache } from '../src/lib/cache.ts'

function counting(room: number) {
  const cache = new Cache<string>(room)
  const made: string[] = []
  const ask = (text: string) =>
    cache.get(text, () => {
      made.push(text)
      return text.toUpperCase()
    })
  return { ask, made }
}

test('what was made once is not made again', () => {
  const { ask, made } = counting(10)
  expect([ask('abc'), ask('abc')]).toEqual(['ABC', 'ABC'])
  expect(made).toEqual(['abc'])
})

test('what was asked for least recently goes when there is no more room', () => {
  const { ask, made } = counting(6)
  for (const text of ['abc', 'def', 'abc', 'ghi', 'abc', 'def']) ask(text)
  expect(made).toEqual(['abc', 'def', 'ghi', 'def'])
})

test('what is larger than the room is made, and not kept', () => {
  const { ask, made } = counting(2)
  expect([ask('abc'), ask('abc'), ask('x'), ask('x')]).toEqual(['ABC', 'ABC', 'X', 'X'])
  expect(made).toEqual(['abc', 'abc', 'x'])
})

test('what could not be made is tried again', () => {
  const cache = new Cache<string>(10)
  const fail = () => {
    throw new Error('no')
  }
  expect(() => cache.get('abc', fail)).toThrow('no')
  expect(cache.get('abc', () => 'yes')).toBe('yes')
})
