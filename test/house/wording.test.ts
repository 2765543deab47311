// The phrase book of the graph: one wording for each fact that many descriptions state.
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/graph/schema.ts'
import { pluralOf, withArticle, wordsOf } from '../../src/graphql/schema/wording.ts'

/** The description of every type, field, argument and enum value, by its schema coordinate. */
const described = new Map<string, string>()
const add = (coordinate: string, { description }: { readonly description?: string | null }) =>
  described.set(coordinate, description ?? '')
for (const type of Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))) {
  add(type.name, type)
  if (isEnumType(type)) for (const value of type.getValues()) add(`${type.name}.${value.name}`, value)
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) add(`${type.name}.${field.name}`, field)
  }
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      add(`${type.name}.${field.name}`, field)
      for (const argument of field.args) add(`${type.name}.${field.name}(${argument.name})`, argument)
    }
  }
}

/** The wording of each kind of field, by its schema coordinate. */
const wordings: readonly (readonly [coordinate: RegExp, wording: RegExp])[] = [
  [/^\w+\.createdAt$/, /^The time the .+ was created[,.]/],
  [/^\w+\.updatedAt$/, /^The time the .+ (was|were) last changed\.$/],
  [/^(?!DashboardSession)\w+\.(?!createdAt|updatedAt|dueAt)\w+[a-z]At$/, /^The times? the .+[.]/],
  [/^\w+Edge$/, /^An edge of a page: an? .+ with its cursor\.$/],
  [/^\w+Connection$/, /^A page of .+\./],
  [/^\w+Order$/, /^The sort order of a list of .+s\.$/],
  [
    /^(?!MessageStatistics|FailedDelivery)\w+Filter$/,
    /^Filters a list of .+s\. All conditions must match\. A null condition is ignored\.$/,
  ],
  [/^\w+\.\w+\(orderBy\)$/, /^The sort order\. (?:Newest|Oldest) first by default\.$/],
  [/^\w+Payload\.(?!userErrors)\w+$/, / Null if the mutation failed\.$/],
  [/^\w+\.deletedId$/, /^The node id of the deleted object\. /],
  [/^(?!OpenDashboard|CreateApiKey)\w+Input\.(id|environmentId)$/, /^The node id of the .+\.$/],
  [
    /^\w+\.contextKeys$/,
    /^The (exact (set of )?context keys( of the feed)?|keys of the contexts of the .+), each `<type>:<identifier>`, (in any order|sorted)\. /,
  ],
  [/^(?!ChannelEndpoint\b)\w+\.contexts$/, /^The contexts( of (the|all) .+)?\. /],
  [/^\w+Input\.subscriberId$/, /^The subscriberId/],
  [/^\w+Filter\.(subscriberId)$/, /^The (exact )?subscriberId/],
  [/\bintegrationIdentifier$/i, /\bidentifier\b/],
]

/** Wordings that no description has, with what to write instead. */
const rejected: readonly (readonly [wording: RegExp, instead: string])[] = [
  [/\ba (?!us|uni|ur[il]|uu|one)[aeiou]/i, 'an article that fits the word: `withArticle`'],
  [/\bapi key\b/, 'API key'],
  [/\bsubscriber ids?\b/, 'subscriberId'],
  [/(?<!Newest first|Oldest first) by default\b/, '`byDefault`: "Default: …."'],
  [/\b(Null|Absent) (does not change|removes it|keeps it)\b/, '`keepsIt` or `clearsIt`'],
  [/\bThe time at which\b/, 'The time the …'],
  [/\bthe (caller's|client's) id\b/i, 'The subscriberId'],
  [/\bDeleted ones\b/, 'Deleted contexts are omitted.'],
  [/\b(from|of) those\b|\bthose (of|that|with)\b/i, 'the noun'],
]

describe('descriptions', () => {
  test.each(wordings)('of %s have the wording %s', (coordinate, wording) => {
    const ofKind = [...described].filter(([name]) => coordinate.test(name))
    expect(ofKind.length).toBeGreaterThan(0)
    expect(ofKind.filter(([, text]) => !wording.test(text))).toEqual([])
  })

  test.each(rejected)('never contain %s instead of %s', (wording) => {
    expect([...described].filter(([, text]) => wording.test(text))).toEqual([])
  })
})

describe('the phrase book', () => {
  test.each([
    ['ApiKey', 'an API key', 'API keys'],
    ['ChannelEndpoint', 'a channel endpoint', 'channel endpoints'],
    ['Delivery', 'a delivery', 'deliveries'],
    ['Event', 'an event', 'events'],
  ])('writes the type %s as %s, and several as %s', (type, one, several) => {
    expect([withArticle(wordsOf(type)), pluralOf(wordsOf(type))]).toEqual([one, several])
  })
})
