// What the shapes of this door have in common.
import { z } from 'zod'
import { Refusal } from '../lib/errors.ts'

/** An object without the fields that are null or undefined: an optional field that has no value is left out. */
export function present<Shape extends object>(shape: Shape): { [Key in keyof Shape]?: NonNullable<Shape[Key]> } {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== null && value !== undefined)) as {
    [Key in keyof Shape]?: NonNullable<Shape[Key]>
  }
}

export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601.' })

const flags: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** A boolean as a query says it. */
export const flag = z.preprocess((value) => flags.get(value) ?? value, z.boolean())

/** A JSON object of the caller's own. */
export const ownData = z.record(z.string(), z.unknown())

/** The row that a path names. @throws Refusal `NOT_FOUND`, which names the key. */
export function found<Row>(row: Row | null, noun: string, key: string): Row {
  if (row === null) throw new Refusal('NOT_FOUND', `${noun} "${key}" not found`)
  return row
}
