// Tenant isolation: every field with an id or key argument must have a case, which passes an id or key of another
// environment.
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLInputField,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { writeApiKey } from '../../src/domain/access/api-key.ts'
import { writeEnvironment } from '../../src/domain/access/new-environment.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { ada, copyEnvironment, furnish, type Furnished, grace, rowsOf } from '../support/furnish.ts'
import { casesOfAddresses } from '../support/tenancy/address-cases.ts'
import type { Case } from '../support/tenancy/case.ts'
import { casesOfCategories } from '../support/tenancy/categories.ts'
import { casesOfFeeds } from '../support/tenancy/feeds.ts'
import { casesOfMessages } from '../support/tenancy/messages.ts'
import { casesOfPeople, environmentCases } from '../support/tenancy/people.ts'
import { casesOfSuppressions } from '../support/tenancy/suppressions.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example' })

/** Cases by the place in the schema where they name a record of another environment. */
const cases: Record<string, Case> = {
  ...casesOfAddresses(false),
  ...casesOfPeople,
  ...casesOfSuppressions,
  ...casesOfCategories,
  ...casesOfMessages,
  ...casesOfFeeds,
}

/** Names of inputs that identify a record. */
const names = /^(id|key|identifier|.+(Id|Key|Identifier))s?$/
/**
 * Inputs whose ids are never looked up: ids of other systems, and ids of workflow steps, which only steps of the same
 * input refer to.
 */
const elsewhere: ReadonlySet<string> = new Set([
  'ChannelConnectionWorkspaceInput',
  'EndpointInput',
  'WorkflowStepInput',
])

function* namingPaths({ name, type }: GraphQLArgument | GraphQLInputField): Generator<string> {
  const named = getNamedType(type)
  if (isScalarType(named) && (named.name === 'ID' || names.test(name))) yield name
  if (!isInputObjectType(named) || elsewhere.has(named.name)) return
  for (const field of Object.values(named.getFields())) {
    for (const path of namingPaths(field)) yield `${name}.${path}`
  }
}

/** Every place in the schema that identifies a record, except `node` and `nodes`. */
const places = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name, args }) =>
      args.flatMap((argument) => [...namingPaths(argument)].map((path) => `${type.name}.${name}(${path})`)),
    ),
  )
  .filter((place) => !/^Query\.nodes?\(/.test(place))
  // The ids of files within one email.
  .filter((place) => !/attachments\.\w+\.contentId/.test(place))

/** Lists that belong to the organization, and are therefore the same in each of its environments. */
const ofOrganization: ReadonlySet<string> = new Set(['environments'])

const lists = Object.values(schema.getQueryType()?.getFields() ?? {})
  .filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
  .map(({ name }) => name)

const node = schema.getType('Node')
const nodeTypes = isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : []

/** Creates an environment in an organization unrelated to the caller. */
async function strangersEnvironment(): Promise<Client> {
  const { db, newId, now } = world.gateway
  const [organizationId, userId] = [newId(), newId()]
  await db.organization.create({ data: { id: organizationId, name: 'Strangers', createdAt: now() } })
  await db.user.create({ data: { id: userId, organizationId, name: 'Eve', createdAt: now() } })
  const { id } = await writeEnvironment(world.gateway, {
    organizationId,
    name: 'Development',
    color: '#000000',
    type: 'prod',
    parentId: null,
  })
  return world.client((await writeApiKey(world.gateway, { environmentId: id, userId, name: 'Key' })).key)
}

test('every field that takes an id or a key has a case', () => {
  expect(Object.keys(cases).sort()).toEqual(places.toSorted())
})

describe.each([
  { whose: 'the same organization', open: () => world.environment(), sharesEnvironments: true },
  { whose: 'another organization', open: strangersEnvironment, sharesEnvironments: false },
])('a caller of another environment in $whose', ({ open, sharesEnvironments }) => {
  let adas: Furnished
  let before: readonly string[]
  let graces: Furnished
  beforeAll(async () => {
    adas = await furnish(world, await open(), ada)
    graces = await furnish(world, await world.environment(), grace)
    // Only failed objects can be retried.
    const { id } = decodeNodeId(adas.ids['Environment'] ?? '')
    await world.database.pool.query(`UPDATE events SET reason = 'fan_out_failed' WHERE environment_id = $1`, [id])
    await world.database.pool.query(`UPDATE workflow_runs SET status = 'failed' WHERE environment_id = $1`, [id])
    before = await rowsOf(world, adas)
    // Two environments with every kind of object: a busy machine takes more than a minute.
  }, 180_000)

  /** Copies Ada's environment, with a second key of its own. */
  async function copyAdas(): Promise<Furnished> {
    const { client, ids } = await copyEnvironment(world, adas)
    const { newApiKey } = await client.act('createApiKey', { name: 'Second key' }, 'newApiKey { apiKey { id } }')
    return { client, ids: { ...ids, ApiKey: newApiKey.apiKey.id } }
  }

  /** Runs a case, which must leave Ada's environment unchanged. */
  async function run(act: Case) {
    await act({
      graces,
      adas,
      another: () => copyEnvironment(world, graces),
      // Within one organization, the result would be the same again.
      owner: sharesEnvironments ? undefined : copyAdas,
      rowsOf: (furnished) => rowsOf(world, furnished),
    })
    expect(await rowsOf(world, adas)).toEqual(before)
  }

  const applicable = Object.entries(cases).filter(([place]) => !(sharesEnvironments && place in environmentCases))
  test.each(applicable)('is neither readable nor changeable through %s', (_place, act) => run(act))

  test('does not reveal a node of any type by its id', () =>
    run(async ({ graces: { client }, adas: { ids } }) => {
      expect(Object.keys(ids).sort()).toEqual(nodeTypes.toSorted())
      const foreign = Object.entries(ids).filter(([type]) => !(sharesEnvironments && type === 'Environment'))
      for (const [type, id] of foreign) {
        expect(await client.ask('query ($id: ID!) { node(id: $id) { id } }', { id }), type).toEqual({ node: null })
      }
      const { nodes } = await client.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
        ids: foreign.map(([, id]) => id),
      })
      expect(nodes).toEqual(foreign.map(() => null))
    }))

  test.each(lists)('has %s cursors that the caller cannot use', (list) =>
    run(async ({ graces: { client } }) => {
      const { found } = await adas.client.ask<{ found: { edges: [{ cursor: string }] } }>(
        `{ found: ${list} { edges { cursor } } }`,
      )
      const [{ cursor }] = found.edges
      if (sharesEnvironments && ofOrganization.has(list)) return
      for (const argument of ['after', 'before']) {
        const { errors } = await client.send(
          `query ($cursor: String) { ${list}(${argument}: $cursor) { totalCount } }`,
          {
            cursor,
          },
        )
        expect(errors).toMatchObject([
          {
            message: `${argument} must be a cursor of this list: it is one of another list`,
            extensions: { code: 'BAD_USER_INPUT' },
          },
        ])
      }
    }),
  )
})
