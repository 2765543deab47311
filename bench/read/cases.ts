// The requests of the read benchmark.
import type { LoadRequest } from '../support/load.ts'

export type CaseName =
  | 'typename'
  | 'list'
  | 'nested'
  | 'endpoints'
  | 'deep'
  | 'upsert'
  | 'bulk'
  | 'restSubscriber'
  | 'restEndpoints'
  | 'restUpsert'

export interface Case {
  readonly name: CaseName
  readonly title: string
  /** The number of concurrent requests. */
  readonly connections: number
  /** True if the case creates database rows, which would slow down other cases. */
  readonly grows?: true
  /** @param turn a number that is unique to the request. */
  readonly request: (turn: number) => LoadRequest
}

/** The number of database rows for the benchmark to read. */
export interface Scale {
  readonly subscribers: number
}

/** The variables of `upsert` and `bulk`, and the body of `restUpsert`. */
export interface SubscriberInput {
  readonly subscriberId: string
  readonly firstName: string
  readonly email: string
  readonly data: object
}

/** The context that a third of the endpoints have. */
export const CONTEXT = 'tenant:t1'
export const PAGE = { subscribers: 20, subscriptions: 10, endpoints: 100 } as const
const IN_BULK = 500

/** The subscriber that `restSubscriber` reads. */
export const READ_SUBSCRIBER = 'sub-7'
/** The subscriber that the page of `deep` follows. */
export const deepSubscriber = ({ subscribers }: Scale) => `sub-${Math.floor(subscribers * 0.9)}`

const oldestFirst = 'orderBy: { field: CREATED_AT, direction: ASC }'
const profile = 'id subscriberId firstName lastName email data createdAt'

const listQuery = `query ($first: Int!, $after: String) {
  subscribers(${oldestFirst}, first: $first, after: $after) {
    edges { cursor node { ${profile} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

const nestedQuery = `query ($first: Int!, $subscriptions: Int!) {
  subscribers(${oldestFirst}, first: $first) {
    edges { node {
      id subscriberId
      topicSubscriptions(${oldestFirst}, first: $subscriptions) {
        edges { node { id contextKeys createdAt topic { id key name } } } pageInfo { hasNextPage endCursor }
      }
    } }
    pageInfo { hasNextPage endCursor }
  }
}`

const endpointsQuery = `query ($contextKeys: [String!], $first: Int!) {
  channelEndpoints(filter: { contextKeys: $contextKeys }, ${oldestFirst}, first: $first) {
    edges { cursor node {
      id subscriberId type
      endpoint {
        __typename
        ... on WorkspaceChatChannel { channelId }
        ... on WorkspaceChatUser { userId }
        ... on Phone { phoneNumber }
        ... on OfficeChatChannel { teamId channelId }
      }
      contextKeys createdAt
    } }
    pageInfo { hasNextPage endCursor }
  }
}`

const upsertQuery = `mutation ($input: UpsertSubscriberInput!) {
  upsertSubscriber(input: $input) { subscriber { ${profile} } userErrors { message } }
}`

const bulkQuery = `mutation ($subscribers: [NewSubscriberInput!]!) {
  createSubscribers(input: { subscribers: $subscribers }) { failed { message } userErrors { message } }
}`

export const post = (path: string, body: object): LoadRequest => ({ method: 'POST', path, body: JSON.stringify(body) })
const get = (path: string): LoadRequest => ({ method: 'GET', path })
export const graphql = (query: string, variables: object = {}) => post('/graphql', { query, variables })

/** Reads the cursor that `deep` starts after. */
export const cursorRequest = (scale: Scale): LoadRequest =>
  graphql(`{ subscribers(${oldestFirst}, filter: { subscriberId: "${deepSubscriber(scale)}" }) { edges { cursor } } }`)

/** A request that is always the same. */
const always = (request: LoadRequest) => () => request

const inputOf = (subscriberId: string, turn: number): SubscriberInput => ({
  subscriberId,
  firstName: `First${turn}`,
  email: `user-${turn}@example.com`,
  data: { plan: 'pro', turn },
})

/**
 * @param cursor from the response to `cursorRequest`.
 * @returns the cases in the order of the report.
 */
export function casesOf({ subscribers }: Scale, cursor: string): readonly Case[] {
  const half = Math.floor(subscribers / 2)
  /** An existing subscriber of the second half, which no case reads. The order is scattered. */
  const written = (turn: number) => inputOf(`sub-${half + 1 + ((turn * 7919) % half)}`, turn)
  const created = (turn: number) =>
    Array.from({ length: IN_BULK }, (_, index) => inputOf(`bulk-${turn}-${index}`, turn))

  const first = PAGE.subscribers
  const endpointFilter = { contextKeys: [CONTEXT], first: PAGE.endpoints }
  const endpointPath = `/v1/channel-endpoints?contextKeys=${CONTEXT}&limit=${PAGE.endpoints}&orderDirection=ASC`
  const many = { connections: 50 }
  const few = { connections: 4 }
  return [
    { name: 'typename', title: 'Q1 __typename', ...many, request: always(graphql('{ __typename }')) },
    { name: 'list', title: 'Q2 list of 20', ...many, request: always(graphql(listQuery, { first })) },
    {
      name: 'nested',
      title: 'Q3 20 × 10 subscriptions × topic',
      ...many,
      request: always(graphql(nestedQuery, { first, subscriptions: PAGE.subscriptions })),
    },
    {
      name: 'endpoints',
      title: 'Q4 100 endpoints by contexts',
      ...many,
      request: always(graphql(endpointsQuery, endpointFilter)),
    },
    { name: 'deep', title: 'Q5 deep page', ...many, request: always(graphql(listQuery, { first, after: cursor })) },
    {
      name: 'upsert',
      title: 'Q6 upsert',
      ...many,
      request: (turn) => graphql(upsertQuery, { input: written(turn) }),
    },
    {
      name: 'bulk',
      title: `Q7 bulk of ${IN_BULK}`,
      ...few,
      grows: true,
      request: (turn) => graphql(bulkQuery, { subscribers: created(turn) }),
    },
    {
      name: 'restSubscriber',
      title: 'REST one subscriber',
      ...many,
      request: always(get(`/v2/subscribers/${READ_SUBSCRIBER}`)),
    },
    { name: 'restEndpoints', title: 'REST 100 endpoints by contexts', ...many, request: always(get(endpointPath)) },
    {
      name: 'restUpsert',
      title: 'REST upsert',
      ...many,
      request: (turn) => post('/v2/subscribers', written(turn)),
    },
  ]
}
