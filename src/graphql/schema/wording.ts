// The phrase book: facts that many descriptions state, each in one wording. test/house/wording.test.ts checks them.
import { MAX_FILTER_VALUES } from '../../lib/several.ts'

/** Types that do not have the name of their noun, because Relay reserves the end of that name. */
const otherNames: ReadonlyMap<string, string> = new Map([['ConnectedWorkspace', 'channel connection']])

/** A type name as words: `topic subscription`. */
export const wordsOf = (typeName: string): string =>
  otherNames.get(typeName) ??
  typeName
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/\bapi\b/, 'API')

/** Words with their article: `an API key`, `a topic`. */
export const withArticle = (words: string): string => `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`

/** The plural of words: `deliveries`. */
export const pluralOf = (words: string): string =>
  words.endsWith('y') && !words.endsWith('ey') ? `${words.slice(0, -1)}ies` : `${words}s`

/** The time of creation of an object. */
export const createdAt = (noun: string): string => `The time the ${noun} was created.`

/** The time of the last change of an object or a part of it. */
export const updatedAt = (what: string): string => `The time the ${what} was last changed.`

/** The default of an input. */
export const byDefault = (value: string): string => `Default: ${value}.`

/** An input whose null removes the stored value. */
export const clearsIt = 'Null clears it.'

/** An input whose null has no effect. */
export const keepsIt = 'Null leaves it unchanged.'

/** A part of a mutation's payload. */
export const nullIfFailed = 'Null if the mutation failed.'

/** The name by which clients refer to an object. */
export const identifierOf = (noun: string): string => `The identifier of the ${noun}.`

/** The same, for nouns whose name is a key. */
export const keyOf = (noun: string): string => `The key of the ${noun}.`

/** A node id that an input requires. */
export const nodeIdOf = (noun: string): string => `The node id of the ${noun}.`

/** The field of a filter that matches any of several values. */
export const anyOfThe = (values: string): string => `Any of these ${values}: 1 to ${MAX_FILTER_VALUES}.`

/** The field of a filter by a part of one of two fields. */
export const partOfEither = (one: string, other: string): string =>
  `A part of the ${one} or the ${other}. Case-insensitive. Without three letters or digits in a row, it must be the beginning of the ${one} or the ${other}.`

/** The field of a filter by the contexts of an object. */
export const exactContexts = (nouns: string): string =>
  `The exact set of context keys, each \`<type>:<identifier>\`, in any order. An empty list matches ${nouns} without context.`

/** The field by the contexts whose messages are counted. */
export const contextsOfCounted = (nouns: string): string =>
  `The exact set of context keys, each \`<type>:<identifier>\`, in any order. At least one. Only ${nouns} of events with exactly these contexts are counted.`

/** The default order of a list with the argument `orderBy`. */
export const newestFirst = 'Newest first by default.'

/** The contexts of an object, by key. */
export const keysIn = (noun: string): string =>
  `The keys of the contexts of the ${noun}, each \`<type>:<identifier>\`, sorted. Empty if there are none.`

/** The contexts of an object. */
export const contextsIn = (noun: string): string => `The contexts of the ${noun}. Deleted contexts are omitted.`

/** The version of an object that several people edit. */
export const incrementedVersion =
  'The version. Each change increments it; a pause does not. `expectedVersion` of a change takes it.'

/** The version that a change of an object is based on. */
export const expectedVersionOf = (noun: string): string =>
  `The \`version\` of the ${noun} that the change is based on. If the ${noun} has another version, the mutation fails with \`CONFLICT\`. ${byDefault('any version')}`
