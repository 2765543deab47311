// What the shapes of this door have in common.
import { z } from 'zod'
import { providerIds } from '../domain/provider-id.ts'
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

/** A provider in an answer. */
export const knownProvider = z.enum(providerIds).meta({ id: 'ProviderId', description: 'Who delivers.' })

/** Path parameters that several nouns have. Names only: rules are the resolvers'. */
export const bySubscriberId = z.object({ subscriberId: z.string().meta({ description: "The client's own id." }) })
export const byTopicKey = z.object({ topicKey: z.string().meta({ description: 'The key of the topic.' }) })

/** The row that a path names. @throws Refusal `NOT_FOUND`, which names the key. */
export function found<Row>(row: Row | null, noun: string, key: string): Row {
  if (row === null) throw new Refusal('NOT_FOUND', `${noun} "${key}" not found`)
  return row
}
