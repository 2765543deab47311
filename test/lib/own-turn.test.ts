// Turns of the event loop that long work takes piece by piece.
import { setImmediate } from 'node:timers'
import { describe, expect, test } from 'vitest'
import { ownTurn } from '../../src/lib/own-turn.ts'

describe('work in separate turns of the event loop', () => {
  test('lets the event loop continue between two pieces that are ready at the same time', async () => {
    const order: string[] = []
    const work = (name: string) =>
      ownTurn().then(() => {
        order.push(name)
        setImmediate(() => order.push('request'))
      })
    await Promise.all([work('first piece'), work('second piece')])
    expect(order).toEqual(['first piece', 'request', 'second piece'])
  })
})
