// Schemas and functions that the routes of several nouns share.
import { z } from 'zod'
import { providerIds } from '../domain/channel/provider-id.ts'
import { type Path, Refusal } from '../lib/errors.ts'
import { MAX_FILTER_VALUES, severalOf } from '../lib/several.ts'

export const timestamp = z.iso.datetime().meta({ description: 'Timestamp in ISO 8601 format.' })

/** The time of an optional timestamp. */
export const dateOf = (given: string | undefined) => (given === undefined ? undefined : new Date(given))

/** The field of a filter that matches any of several values. @param values in words. */
export const valuesField = <Value extends z.ZodType>(value: Value, values: string) =>
  severalOf(value)
    .optional()
    .meta({ description: `Any of these ${values}: 1 to ${MAX_FILTER_VALUES}.` })

const flags: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** A boolean in a query: `true` or `false`. */
export const flag = z.preprocess((value) => flags.get(value) ?? value, z.boolean())

/** The version of an object, which is its `ETag` too. */
export const versionField = z
  .int()
  .meta({ description: 'Version. Each change increments it; a pause does not. The `ETag` is the version in quotes.' })

/** A JSON object that the caller defines. */
export const ownData = z.record(z.string(), z.unknown())

/** The schema of a bulk item in the document. Accepts any value, so that an invalid item fails alone. */
export const bulkItem = (schema: string) => ({
  anyOf: [{ $ref: `#/components/schemas/${schema}` }, { description: 'Any other value fails alone.' }],
})

/** A provider in a response. */
export const knownProvider = z.enum(providerIds).meta({ id: 'ProviderId', description: 'Id of a provider.' })

/** Path parameters of several nouns. The resolvers validate them. */
export const bySubscriberId = z.object({
  subscriberId: z.string().meta({ description: 'Id of the subscriber, chosen by the client.' }),
})
/** The parameter `topicKey` is the resolver's `key`. */
export const topicPath = (path: Path): Path => (path[0] === 'key' ? ['topicKey'] : path)

export const byTopicKey = z.object({ topicKey: z.string().meta({ description: 'Key of the topic.' }) })

/** Returns the row unless it is null. @throws Refusal `NOT_FOUND` with the noun and key. */
export function found<Row>(row: Row | null, noun: string, key: string): Row {
  if (row === null) throw new Refusal('NOT_FOUND', `${noun} "${key}" not found`)
  return row
}
