// One item as a JSON object: a line of JSON Lines, or an element of a JSON array.
import type { Transfer } from '../transfers/transfer.ts'
import { fieldProblem, type FileLine, MAX_LINE } from './line.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads an item.
 *
 * @param bytes undefined if there are too many.
 * @param place the position in the file, in words.
 * @returns undefined if it is empty.
 */
export function readJson(
  transfer: Transfer,
  bytes: Buffer | undefined,
  place: 'line' | 'element',
): Omit<FileLine, 'number'> | undefined {
  if (bytes === undefined) return { problem: `the ${place} must be at most ${MAX_LINE} bytes long` }
  let text: string
  try {
    text = decoder.decode(bytes).trim()
  } catch {
    return { problem: `the ${place} must be UTF-8` }
  }
  if (text === '') return undefined
  const item = parsed(text)
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return { problem: `the ${place} must be a JSON object` }
  }
  const problem = fieldProblem(transfer, Object.keys(item))
  return problem === undefined ? { item: { ...item } } : { problem }
}
