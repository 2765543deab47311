// The attacks of the neighbor benchmark: requests of a hostile tenant, within the documented limits.
import { portions } from '../support/portions.ts'
import { DEAD_DOMAIN } from './name-server.ts'

/** A request of an attack. Its body is built once, because building it again would only slow down the attacker. */
export interface AttackRequest {
  readonly path: string
  readonly body: string
  /** Default: the API key of the attacking environment. */
  readonly authorization?: string
  /**
   * How the request is sent: without the last byte of its body, or with the body as the first message of a WebSocket.
   * The next request follows when the connection is closed.
   */
  readonly instead?: 'stalledBody' | 'webSocket'
}

export interface Attack {
  readonly name: string
  /** The number of requests at a time. Default: 4. */
  readonly connections?: number
  /** Sent once and in order before the measurement. */
  readonly preparation: readonly AttackRequest[]
  /** Sent in rotation by every connection during the measurement. */
  readonly requests: readonly AttackRequest[]
}

const post = (path: string, body: unknown): AttackRequest => ({ path, body: JSON.stringify(body) })
const graphql = (query: string, variables: object, authorization?: string): AttackRequest => ({
  ...post('/graphql', { query, variables }),
  ...(authorization !== undefined && { authorization }),
})

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

/** A template that runs through `count` × `count` empty rounds. */
const loops = (count: number) => `{% for i in (1..${count}) %}{% for j in (1..${count}) %}{% endfor %}{% endfor %}`

/** A condition that walks a list of 300 items for each of its items. */
const slowCondition = {
  some: [
    { var: 'payload.items' },
    { some: [{ var: 'payload.items' }, { '==': [{ cat: [{ var: '' }, { var: '' }] }, 'x'] }] },
  ],
}

const workflow = (identifier: string, rest: object) => post('/v2/workflows', { identifier, name: identifier, ...rest })

const hundred = names(100, 'target')

/** A trigger for a hundred subscribers. */
const triggerAll = (name: string, payload: object = {}) => post('/v1/events/trigger', { name, to: hundred, payload })

function slowTemplate(name: string, count: number): Attack {
  const slow = loops(count)
  const identifier = name.replaceAll(' ', '-')
  return {
    name,
    preparation: [workflow(identifier, { steps: [{ type: 'in_app', subject: slow, body: slow }] })],
    requests: [triggerAll(identifier)],
  }
}

const slowConditions: Attack = {
  name: 'slow conditions',
  preparation: [workflow('slow-conditions', { steps: [{ type: 'in_app', body: 'Hello', condition: slowCondition }] })],
  requests: [triggerAll('slow-conditions', { items: names(300, 'item') })],
}

const pattern: Attack = {
  name: 'hostile pattern',
  preparation: [
    workflow('pattern', {
      steps: [{ type: 'in_app', body: 'Hello' }],
      payloadSchema: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    }),
  ],
  requests: [
    post('/v1/events/trigger/bulk', {
      events: hundred.map((to) => ({ name: 'pattern', to, payload: { a: `${'a'.repeat(40)}!` } })),
    }),
  ],
}

/** A payload schema with many alternatives, which takes long to compile. */
const wideSchema = {
  properties: Object.fromEntries(
    names(400, 'p').map((name) => [name, { anyOf: [{ type: 'string' }, { type: 'number', minimum: 1 }] }]),
  ),
}

const largeWorkflows: Attack = {
  name: 'large workflows',
  preparation: [workflow('large', {})],
  requests: names(50, 'version').map((version) => ({
    ...graphql('mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { userErrors { message } } }', {
      input: {
        identifier: 'large',
        payloadSchema: { ...wideSchema, title: version },
        steps: names(16, version).map((stepId) => ({
          inApp: { stepId, body: `${version}${'{{ a | append: b }}'.repeat(1000)}` },
        })),
      },
    }),
  })),
}

const nullIds = (count: number, authorization?: string) =>
  graphql('query ($i: [ID!]!) { nodes(ids: $i) { id } }', { i: Array<null>(count).fill(null) }, authorization)

const unknownFields = (count: number) =>
  graphql('query ($f: SubscriberFilter) { subscribers(filter: $f) { totalCount } }', {
    f: Object.fromEntries(names(count, 'unknown').map((name) => [name, 1])),
  })

/** @param publicIdentifier the attacking environment's. This attack needs no secret. */
const variables = (publicIdentifier: string): Attack => ({
  name: 'faulty variables',
  preparation: [],
  requests: [nullIds(10_000, `Environment ${publicIdentifier}`), nullIds(600_000), unknownFields(100_000)],
})

const overlapping = names(200, 'F')
const documents: Attack = {
  name: 'expensive documents',
  preparation: [],
  requests: [
    graphql(
      `{ ${overlapping.map((name) => `...${name}`).join(' ')} } ${overlapping
        .map((name) => `fragment ${name} on Query { subscribers(first: 1) { nodes { id email phone } } }`)
        .join(' ')}`,
      {},
    ),
    graphql(`{ ${'__typename '.repeat(4_900)} }`, {}),
    graphql('{ subscribers(first: 100) { nodes { id topicSubscriptions(first: 100) { nodes { id } } } } }', {}),
  ],
}

const bulkWrites: Attack = {
  name: 'bulk writes',
  preparation: [],
  requests: portions(names(5_000, 'bulk'), 500).map((portion) =>
    post('/v1/subscribers/bulk', { subscribers: portion.map((subscriberId) => ({ subscriberId, firstName: 'A' })) }),
  ),
}

const searches: Attack = {
  name: 'searches without a match',
  preparation: bulkWrites.requests,
  requests: [
    graphql('{ subscribers(filter: { search: "zq" }) { totalCount nodes { id } } }', {}),
    graphql('{ subscribers(filter: { search: "q" }) { totalCount nodes { id } } }', {}),
  ],
}

const members = names(5_000, 'member')
const fanOuts: Attack = {
  name: 'fan-outs to 5,000',
  preparation: [
    workflow('fan-out', { steps: [{ type: 'in_app', body: 'Hello {{ subscriber.subscriberId }}' }] }),
    ...portions(members, 500).map((portion) =>
      post('/v1/subscribers/bulk', { subscribers: portion.map((subscriberId) => ({ subscriberId })) }),
    ),
    ...portions(members, 100).map((portion) =>
      post('/v2/topics/all/subscriptions', { subscriptions: portion.map((subscriberId) => ({ subscriberId })) }),
    ),
  ],
  requests: [post('/v1/events/trigger', { name: 'fan-out', to: { type: 'Topic', topicKey: 'all' } })],
}

const nodesOf = (list: string): AttackRequest => ({
  path: '/graphql',
  body: `{"query":"query ($i: [ID!]!) { nodes(ids: $i) { id } }","variables":{"i":${list}}}`,
})

/** Up to 4 MB of variables: texts, deep lists, many values, and the maximum number of values and names. */
const largeVariables = (connections: number): Attack => ({
  name: `4 MB of variables, ${connections} loops`,
  connections,
  preparation: [],
  requests: [
    nodesOf(JSON.stringify(['x'.repeat(4_000_000)])),
    nodesOf(JSON.stringify(Array(40_000).fill('x'.repeat(95)))),
    nodesOf('['.repeat(2_000_000) + ']'.repeat(2_000_000)),
    nodesOf('['.repeat(390_000) + ']'.repeat(390_000)),
    nodesOf(JSON.stringify(Array(800_000).fill(null))),
    nodesOf(JSON.stringify(Array(390_000).fill('12345'))),
    nodesOf(JSON.stringify([Object.fromEntries(names(59_000, 'n').map((name) => [name, 1]))])),
  ],
})

/** A text in which the search for each mark starts at every word. */
const manyWords = 'a '.repeat(30_000)
const erasure: Attack = {
  name: 'erasure',
  preparation: [
    workflow('marked', { steps: [{ type: 'in_app', body: 'Hello' }] }),
    ...names(30, 'event').map((event) =>
      post('/v1/events/trigger', { name: 'marked', to: 'marked', payload: { event, text: `${manyWords}mark` } }),
    ),
  ],
  requests: [
    post('/v2/subscribers/marked/erase', { also: names(20, 'a ').map((mark) => mark.padStart(318, 'a ')) }),
    post('/v1/events/trigger', { name: 'marked', to: 'marked', payload: { text: `${manyWords}mark` } }),
  ],
}

const schemaChurn: Attack = {
  name: 'schema churn',
  preparation: [],
  requests: names(2_000, 'p').map((name) =>
    graphql('query ($input: CheckWorkflowInput!) { checkWorkflow(input: $input) { message } }', {
      input: {
        payloadSchema: {
          type: 'object',
          properties: Object.fromEntries(
            names(45, name).map((property) => [property, { type: 'string', minLength: 1 }]),
          ),
        },
      },
    }),
  ),
}

const initFlood = (publicIdentifier: string): Attack => ({
  name: 'connection_init flood',
  connections: 250,
  preparation: [],
  requests: [
    {
      path: '/graphql',
      instead: 'webSocket',
      body: JSON.stringify({
        type: 'connection_init',
        payload: { authorization: `Environment ${publicIdentifier}`, x: Array<[]>(85_000).fill([]) },
      }),
    },
    { path: '/graphql', instead: 'webSocket', body: '{"type":"ping"}' },
  ],
})

const stalledBodies = (publicIdentifier: string): Attack => ({
  name: 'stalled bodies',
  connections: 150,
  preparation: [],
  requests: [
    { path: '/graphql', instead: 'stalledBody', body: ' '.repeat(4_000_000) },
    {
      path: '/graphql',
      instead: 'stalledBody',
      body: ' '.repeat(500_000),
      authorization: `Environment ${publicIdentifier}`,
    },
  ],
})

/** Integrations whose endpoints have names that no name server resolves. */
const deadIntegrations = names(20, 'dead')
const deadNames: Attack = {
  name: 'dead DNS',
  preparation: [
    workflow('dead', { steps: [{ type: 'tool', body: 'Hello' }] }),
    post('/v2/subscribers', { subscriberId: 'dead' }),
    ...deadIntegrations.flatMap((identifier) => [
      post('/v1/integrations', { providerId: 'tool-webhook', channel: 'tool', identifier }),
      ...names(10, `${identifier}-host`).map((host) =>
        post('/v1/channel-endpoints', {
          subscriberId: 'dead',
          integrationIdentifier: identifier,
          type: 'webhook',
          endpoint: { url: `http://${host}.${DEAD_DOMAIN}/` },
        }),
      ),
    ]),
  ],
  requests: [post('/v1/events/trigger', { name: 'dead', to: 'dead' })],
}

/** The attacks, each within the default limits of one environment. */
export const attacksOf = (publicIdentifier: string): readonly Attack[] => [
  slowTemplate('endless templates', 700),
  slowTemplate('slow templates', 60),
  slowConditions,
  pattern,
  largeWorkflows,
  variables(publicIdentifier),
  documents,
  bulkWrites,
  searches,
  fanOuts,
  deadNames,
  largeVariables(2),
  largeVariables(8),
  erasure,
  schemaChurn,
  initFlood(publicIdentifier),
  stalledBodies(publicIdentifier),
]
