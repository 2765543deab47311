// The rules of CONTRIBUTING, "The graph": names, addresses, enums, deprecations, and what was released before.
import {
  buildSchema,
  findBreakingChanges,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  NoDeprecatedCustomRule,
  parse,
  validate,
} from 'graphql'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/graph/schema.ts'
import { addresses } from '../support/tenancy/address.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => path.join(folder, name))

/** A field, an argument or a field of an input. */
interface Named {
  /** The type or the field that has it. */
  readonly owner: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly deprecation: string | null
  /** The names of everything that the owner has. */
  readonly beside: readonly string[]
}

interface Described {
  readonly name: string
  readonly type: unknown
  readonly description?: string | null | undefined
  readonly deprecationReason?: string | null | undefined
}

const namesOf = (elements: readonly { readonly name: string }[]) => elements.map(({ name }) => name)
const named = (owner: string, elements: readonly Described[]): Named[] =>
  elements.map(({ name, type, description, deprecationReason }) => ({
    ...{ owner, name, type: String(type), description: description ?? '', deprecation: deprecationReason ?? null },
    beside: namesOf(elements),
  }))

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const fields = types.flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).map((field) => ({ type: type.name, field }))
    : [],
)
const inputs = types.filter(isInputObjectType)
const outputElements = types.flatMap((type) =>
  isObjectType(type) || isInterfaceType(type) ? named(type.name, Object.values(type.getFields())) : [],
)
const inputElements = [
  ...fields.flatMap(({ type, field }) => named(`${type}.${field.name}`, field.args)),
  ...inputs.flatMap((input) => named(input.name, Object.values(input.getFields()))),
]
const elements = [...outputElements, ...inputElements]
const current = elements.filter(({ deprecation }) => deprecation === null)
const coordinateOf = ({ owner, name }: Named) => (owner.includes('.') ? `${owner}(${name}:)` : `${owner}.${name}`)

/**
 * How a field, an argument and a filter name an object of another noun, and several of them. Their words in the graph are
 * the key; no other word names the same.
 */
const names = {
  workflow: ['workflowIdentifier', 'workflowIdentifiers'],
  integration: ['integrationIdentifier', 'integrationIdentifiers'],
  subscriber: ['subscriberId', 'subscriberIds'],
  topic: ['topicKey', 'topicKeys'],
  category: ['categoryKey', 'categoryKeys'],
  transaction: ['transactionId', 'transactionIds'],
  context: ['contextKey', 'contextKeys'],
  // An event is named by its transaction id.
  event: [],
  connection: ['connectionIdentifier', 'connectionIdentifiers'],
  channelEndpoint: ['channelEndpointIdentifier', 'channelEndpointIdentifiers'],
  endpoint: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Words of other APIs for what has a name here. */
const synonyms =
  /^(flow|template|notificationTemplate|user|member|recipient|receiver|tenant|workspace|account|trigger|list|audience)s?((Id|Identifier|Key|Name|Slug)s?)?$/

/** Objects of other systems, which have their own names: a user of a messaging app. */
const isElsewhere = ({ owner }: Named) => /^(MessagingAppUser|OfficeChatUser|WorkspaceChatUser)(Input)?$/.test(owner)

/** The name of an object on itself, in its query and in its mutations. Any of them may also take the node id, `id`. */
const ownNames = {
  Workflow: 'identifier',
  Integration: 'identifier',
  ChannelEndpoint: 'identifier',
  TopicSubscription: 'identifier',
  Subscriber: 'subscriberId',
  Topic: 'key',
  Category: 'key',
  Context: 'key',
  Event: 'transactionId',
} as const

/** True for a text that can name an object. An ID is a node id, as in `environmentId`. */
const isText = ({ type }: Named) => /^\[?String\b/.test(type)
const pluralOf = (name: string) => (name.endsWith('s') ? `${name}es` : `${name}s`)
/** True for an optional field with a node id that has one of these names. */
const isIdIn = (names: readonly string[] = [], { name, type }: Named) => names.includes(name) && type === 'ID'
const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
const upperFirst = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The texts whose names end with a noun, or with a name of it, perhaps after a role, as in `actorSubscriberId`. */
function namesOfNoun(noun: string, among: readonly Named[]): Named[] {
  const named = '((Id|Identifier|Key|Slug)s?)?$'
  const alike = new RegExp(`^${noun}s?${named}|[a-z]${upperFirst(noun)}s?${named}`)
  return among.filter(isText).filter(({ name }) => alike.test(name))
}

/** True for a name of a noun, also after a role. */
const isNameOf = (allowed: readonly string[], name: string) =>
  allowed.some((one) => name === one || name.endsWith(upperFirst(one)))

const text = (name: string): Named => ({
  ...{ owner: 'Anything', name, type: 'String', description: '', deprecation: null, beside: [] },
})

describe('the graph has one name for one thing', () => {
  test.each(Object.entries(names))('%s', (noun, allowed) => {
    const found = namesOfNoun(noun, current)
    const others = found.filter(({ name }) => !isNameOf(allowed, name) && !isNameOf(Object.values(names).flat(), name))
    expect(others.map(coordinateOf)).toEqual([])
  })

  test.each(Object.entries(names))('a second name of %s would be noticed', (noun, allowed) => {
    const word = upperFirst(noun)
    const second = [noun, `${noun}s`, `${noun}Slug`, `${noun}Slugs`, `triggered${word}`, `parent${word}Slug`]
    const found = namesOfNoun(noun, second.map(text)).filter(({ name }) => !isNameOf(allowed, name))
    expect(namesOf(found)).toEqual(second)
  })

  test('no word of another API', () => {
    const others = current.filter(isText).filter((one) => synonyms.test(one.name) && !isElsewhere(one))
    expect(others.map(coordinateOf)).toEqual([])
  })

  test.each(Object.entries(ownNames))(
    '%s has its own name on itself, in its query and in its mutations',
    (noun, own) => {
      const type = current.filter(({ owner }) => owner === noun)
      expect(namesOf(type)).toContain(own)
      const query = current.filter(({ owner }) => owner === `Query.${lowerFirst(noun)}`)
      expect(namesOf(query)).toContain(own)
      const changing = inputs.filter(({ name }) => ['Update', 'Delete'].some((verb) => name === `${verb}${noun}Input`))
      for (const { name } of changing) {
        const fields = namesOf(current.filter(({ owner }) => owner === name))
        expect(fields.includes(own) || fields.includes('id'), name).toBe(true)
      }
    },
  )

  test('what is described as the identifier of another object has its name', () => {
    const noun = /^The identifiers? (?:or id )?of (?:\w+ )*?(workflow|integration)\b/
    const found = current.flatMap((one) => {
      const [, what] = noun.exec(one.description) ?? []
      return what === undefined ? [] : [{ ...one, what }]
    })
    const others = found.filter(
      ({ owner, name, what }) =>
        !(name === 'identifier' && owner.toLowerCase().includes(what)) && !name.startsWith(`${what}Identifier`),
    )
    expect(found.length).toBeGreaterThan(10)
    expect(others.map(coordinateOf)).toEqual([])
  })
})

describe('an operation on one object takes its own name or its node id', () => {
  const own = ['subscriberId', 'key', 'identifier', 'currentIdentifier', 'transactionId', 'topicKey']
  /**
   * Operations that name what they create, or a feed or an own subscription, which are named by their subscriber and
   * their contexts.
   */
  const others =
    /^(?:create|upsert|trigger|open|preview|check|subscribeTo|unsubscribeFrom|updateOwn)|^(?:mark|delete)Notifications$/
  /** Objects without a name of their own, and `node`. */
  const nameless =
    /(?:notification|notificationAction|suppression|workflowRun|delivery|erasure|apiKey|^attachment|^node)$/i
  const lists = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
  const operations = [
    ...Object.values(schema.getQueryType()?.getFields() ?? {})
      .filter((field) => !lists.some((list) => list.field === field))
      .map(({ name, args }) => ({ name, given: named(`Query.${name}`, args) })),
    ...Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args }) =>
      args.flatMap(({ type }) => {
        const input = getNamedType(type)
        return isInputObjectType(input) ? [{ name, given: named(input.name, Object.values(input.getFields())) }] : []
      }),
    ),
  ].filter(({ name }) => !others.test(name))
  const isId = ({ type }: Named) => /^ID\b/.test(type)

  test('both, and neither is required by the schema', () => {
    const addressed = operations.filter(({ given }) => given.some(({ name }) => own.includes(name)))
    const oneWay = addressed.filter(
      ({ given }) =>
        !given.some((one) => isId(one) && !one.type.endsWith('!')) ||
        given.some(({ name, type }) => own.includes(name) && type.endsWith('!')),
    )
    expect(addressed.length).toBeGreaterThan(30)
    expect(namesOf(oneWay)).toEqual([])
  })

  test('only objects without a name have no other address than a node id', () => {
    const byId = operations.filter(({ given }) => given.some((one) => isId(one) && one.type.endsWith('!')))
    expect(byId.length).toBeGreaterThan(5)
    expect(namesOf(byId).filter((name) => !nameless.test(name))).toEqual([])
  })

  test('each has a case of test/graphql/address.test.ts', () => {
    const optional = operations.filter(({ given }) => given.some((one) => isId(one) && !one.type.endsWith('!')))
    expect(addresses.map(({ operation }) => operation).sort()).toEqual(namesOf(optional).toSorted())
  })
})

describe('an input that refers to another object takes its name or its node id', () => {
  /** The names, and the fields with the node id in their place. */
  const references: Readonly<Record<string, readonly string[]>> = {
    workflowIdentifier: ['workflowId'],
    workflowIdentifiers: ['workflowIds'],
    integrationIdentifier: ['integrationId'],
    subscriberId: ['id'],
    topicKey: ['topicId', 'id'],
  }
  /** References with one form, and why. */
  const oneForm: Readonly<Record<string, RegExp>> = {
    'is created if it does not exist':
      /^((Create|Upsert|New)Subscriber|SubscriberRecipient|CreateTopicSubscriptions|OpenSession)Input\./,
    'need not exist':
      /^(\w+SubscriberCredentials|ChannelCredential)Input\.integrationIdentifier$|^(Erased|EraseSubscriber)\w*Input\./,
    'may be deleted later, and is part of the steps, which are stored as they are given':
      /^\w+StepInput\.integrationIdentifier$/,
    'is the recipient or the workflow of a trigger, as in REST':
      /^TopicRecipientInput\.|^(TriggerEvent|Trigger|PreviewTrigger)Input\.workflowIdentifier$/,
    'has no other name for its node id, because `workflowId` is a former name':
      /Preferences?(Change)?Input\.workflowIdentifiers?$/,
    'selects or creates something by the subscriber, whose own name is `subscriberId`':
      /^(CreateChannelConnection|CreateChannelEndpoint|NewTopicSubscription|TopicSubscriptionAddress)Input\.subscriberId$/,
    'is the own subscription of a browser session, which knows no node ids':
      /^(SubscribeToTopic|UnsubscribeFromTopic|UpdateOwn\w+)Input\.(subscriberId|topicKey)$/,
    'is the feed of a subscriber': /^(Mark|Delete)NotificationsInput\./,
  }
  const found = current
    .filter(({ owner }) => owner.endsWith('Input'))
    .filter(({ name }) => name in references)
    .filter(({ owner, name }) => !current.some((one) => one.owner === owner && isIdIn(references[name], one)))

  test('or has a reason for one form', () => {
    const others = found.map(coordinateOf).filter((at) => !Object.values(oneForm).some((those) => those.test(at)))
    expect(others).toEqual([])
  })

  test.each(Object.entries(oneForm))('%s', (_why, those) => {
    expect(found.map(coordinateOf).filter((at) => those.test(at))).not.toEqual([])
  })
})

describe('what has a type has it in the graph', () => {
  test('JSON is only data of the caller', () => {
    /** What callers define: custom data, payloads, JSON-logic, JSON Schema and the settings of a provider. And a file. */
    const own =
      /^(data|payload|payloadSchema|overrides|conditions?|credentials|credentialChanges)$|^OpenSessionInput\.context$|^Query\.subscriberExport$/
    const others = current
      .filter(({ type }) => type.includes('JSON'))
      .filter((one) => !own.test(one.name) && !own.test(coordinateOf(one)))
    expect(others.map(coordinateOf)).toEqual([])
  })

  test('codes are enums', () => {
    const isCode = /\b(machine-readable|codes? (?:of|that|in)\b)|(?<!status )\bcode\b.*such as `/i
    const others = current.filter(isText).filter(({ description }) => isCode.test(description))
    expect(others.map(coordinateOf)).toEqual([])
  })
})

test('lists take their conditions in `filter` and their order in `orderBy`', () => {
  const paging = ['first', 'after', 'last', 'before', 'filter', 'orderBy']
  /** What selects the whole list, rather than nodes of it. */
  const scopes = ['contextKeys', 'environmentId']
  const lists = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
  const owners = new Set(lists.map(({ type, field }) => `${type}.${field.name}`))
  const others = current.filter(({ owner, name }) => owners.has(owner) && ![...paging, ...scopes].includes(name))
  expect(owners.size).toBeGreaterThan(10)
  expect(others.map(coordinateOf)).toEqual([])
})

describe('a condition that takes several values in one filter takes them in each', () => {
  const filters = inputs.filter(({ name }) => name.endsWith('Filter'))
  const conditions = current.filter(({ owner }) => filters.some(({ name }) => name === owner))
  /** The own name of an object, which selects one at most. */
  const isOwnName = ({ owner, name }: Named) =>
    Object.entries(ownNames).some(
      ([noun, own]) => [`${noun}Filter`, `Delete${noun}sFilter`].includes(owner) && own === name,
    )
  const isPluralOf = ({ name, type }: Named, one: Named) => name === pluralOf(one.name) && type === `[${one.type}!]`

  test.each(filters.map(({ name }) => name))('%s', (filter) => {
    const own = conditions.filter(({ owner }) => owner === filter).filter((one) => !isOwnName(one))
    const others = own.filter(
      (one) => conditions.some((other) => isPluralOf(other, one)) && !one.beside.includes(pluralOf(one.name)),
    )
    expect(others.map(coordinateOf)).toEqual([])
  })

  test('others would be noticed', () => {
    const plural = conditions.filter((one) => conditions.some((other) => isPluralOf(other, one)))
    expect([...new Set(namesOf(plural))]).toEqual(
      expect.arrayContaining(['workflowIdentifier', 'subscriberId', 'topicKey', 'channel', 'status']),
    )
  })
})

describe('a deprecation', () => {
  const isDeprecated = ({ deprecation }: Named) => deprecation !== null
  const coordinates = new Set(current.map(coordinateOf))

  test('names what replaces it', () => {
    const lacking = elements.filter(isDeprecated).filter(({ deprecation, beside }) => {
      const replacements = [...(deprecation ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      return replacements.length === 0 || !replacements.every((name) => beside.includes(name) || coordinates.has(name))
    })
    expect(elements.filter(isDeprecated).length).toBeGreaterThan(10)
    expect(lacking.map(coordinateOf)).toEqual([])
  })

  test('is never of an input that is required', () => {
    const required = inputElements.filter(isDeprecated).filter(({ type }) => type.endsWith('!'))
    expect(required.map(coordinateOf)).toEqual([])
  })
})

test('nothing that was released is removed or changed', () => {
  const released = buildSchema(read('test/house/released-schema.graphql'))
  expect(findBreakingChanges(released, schema)).toEqual([])
})

test('the pages and the documentation use nothing that is deprecated', () => {
  const sources = [
    ...['src/dashboard', 'src/inbox']
      .flatMap((folder) => filesIn(folder, /(?<!\.d)\.tsx?$/))
      .flatMap((file) => [...read(file).matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, text = '']) => ({ file, text }))),
    ...[...read('src/graphiql/examples.ts').matchAll(/query: `([^`]*)`/g)].map(([, text = '']) => ({
      file: 'src/graphiql/examples.ts',
      text,
    })),
    ...['README.md', ...filesIn('docs', /\.md$/)].flatMap((file) =>
      [...read(file).matchAll(/^```graphql\n(.*?)^```/gms)].map(([, text = '']) => ({ file, text })),
    ),
  ]
  expect(sources.length).toBeGreaterThan(100)
  const found = sources.flatMap(({ file, text }) =>
    validate(schema, parse(text), [NoDeprecatedCustomRule]).map(({ message }) => `${file}: ${message}`),
  )
  expect(found).toEqual([])
})
