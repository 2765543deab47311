// The preferences for single workflows: pages, with the channels that each workflow uses.
import { beforeEach, expect, test } from 'vitest'
import { browserOf } from '../support/browser.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const bell = { inApp: { body: 'Hello' } }
const mail = { email: { subject: 'Hello', body: 'Hello' } }

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  await acme.act('createWorkflow', {
    identifier: 'welcome',
    name: 'Welcome',
    tags: ['news'],
    steps: [mail, { delay: { amount: 1, unit: 'HOURS' } }, bell, { sms: { body: 'Hello', active: false } }],
  })
  await acme.act('createWorkflow', { identifier: 'alarm', name: 'Alarm', critical: true, steps: [bell] })
  await acme.act('createWorkflow', { identifier: 'empty', name: 'Empty', active: false })
})

const fields = `
  usedChannels { channel enabled }
  workflowPreferences { nodes { workflow { identifier name tags critical channels } enabled channels { channel enabled decidedBy } } }`

const expected = {
  usedChannels: [
    { channel: 'IN_APP', enabled: true },
    { channel: 'EMAIL', enabled: false },
  ],
  workflowPreferences: {
    nodes: [
      {
        workflow: {
          ...{ identifier: 'welcome', name: 'Welcome', tags: ['news'], critical: false },
          channels: ['IN_APP', 'EMAIL'],
        },
        enabled: true,
        channels: [
          { channel: 'IN_APP', enabled: true, decidedBy: 'WORKFLOW_DEFAULT' },
          { channel: 'EMAIL', enabled: false, decidedBy: 'SUBSCRIBER_GLOBAL' },
        ],
      },
      {
        workflow: { identifier: 'alarm', name: 'Alarm', tags: [], critical: true, channels: ['IN_APP'] },
        enabled: true,
        channels: [{ channel: 'IN_APP', enabled: true, decidedBy: 'CRITICAL' }],
      },
      {
        workflow: { identifier: 'empty', name: 'Empty', tags: [], critical: false, channels: [] },
        enabled: false,
        channels: [],
      },
    ],
  },
}

const mailOff = { subscriberId: 'ada', channels: [{ channel: 'EMAIL', enabled: false }] }

test('the list has the channels that each workflow uses in its active steps', async () => {
  await acme.act('updateSubscriberPreferences', mailOff)
  const { subscriber } = await acme.ask<{ subscriber: unknown }>(
    `{ subscriber(subscriberId: "ada") { preferences { ${fields} } } }`,
  )
  expect(subscriber).toEqual({ preferences: expected })
})

test('a browser session reads the same list, with the workflows', async () => {
  await acme.act('updateSubscriberPreferences', mailOff)
  const browser = await browserOf(world, acme, 'ada')
  expect(await browser.ask<{ session: unknown }>(`{ session { preferences { ${fields} } } }`)).toEqual({
    session: { preferences: expected },
  })
})

test('the list has pages and filters', async () => {
  const read = async (args: string) => {
    const { subscriber } = await acme.ask<{ subscriber: { preferences: { workflowPreferences: Listed } } }>(
      `{ subscriber(subscriberId: "ada") { preferences { workflowPreferences(${args}) {
        totalCount nodes { workflow { identifier } } pageInfo { endCursor hasNextPage } } } } }`,
    )
    const { totalCount, nodes, pageInfo } = subscriber.preferences.workflowPreferences
    return { totalCount, identifiers: nodes.map(({ workflow }) => workflow.identifier), ...pageInfo }
  }
  const first = await read('first: 2')
  expect(first).toMatchObject({ totalCount: 3, identifiers: ['welcome', 'alarm'], hasNextPage: true })
  expect(await read(`first: 2, after: "${first.endCursor}"`)).toMatchObject({
    identifiers: ['empty'],
    hasNextPage: false,
  })
  expect(await read('filter: { active: true }')).toMatchObject({ identifiers: ['welcome', 'alarm'] })
  expect(await read('filter: { tags: ["news"] }')).toMatchObject({ identifiers: ['welcome'] })
  expect(await read('filter: { search: "alarm" }')).toMatchObject({ identifiers: ['alarm'] })
})

interface Listed {
  readonly totalCount: number
  readonly nodes: readonly { readonly workflow: { readonly identifier: string } }[]
  readonly pageInfo: { readonly endCursor: string; readonly hasNextPage: boolean }
}

test('the lists of many subscribers take as many statements as those of one', async () => {
  await acme.act('createSubscriber', { subscriberId: 'grace' })
  const read = (first: number) =>
    statementsOf(() =>
      acme.ask<{ subscribers: unknown }>(`{ subscribers(first: ${first}) { nodes { preferences { ${fields} } } } }`),
    )
  expect(await read(2)).toHaveLength((await read(1)).length)
})

test('a preference for a critical workflow is stored, and a note says that it has no effect', async () => {
  const note =
    'The workflow "alarm" is critical and ignores preferences. The change is stored and has no effect while the workflow is critical.'
  const { notes } = await acme.act(
    'updateSubscriberPreferences',
    { subscriberId: 'ada', workflowIdentifier: 'alarm', enabled: false },
    'notes',
  )
  expect(notes).toEqual([note])
  const path = 'PATCH /v2/subscribers/ada/preferences'
  const atRest = await acme.rest(path, { body: { workflowId: 'alarm', enabled: false } })
  expect(atRest.body.warnings).toEqual([note])
  expect(atRest.body.workflows[1]).toMatchObject({
    enabled: true,
    workflow: { slug: 'alarm', identifier: 'alarm', name: 'Alarm', critical: true, tags: [] },
  })
  await acme.act('updateWorkflow', { identifier: 'alarm', critical: false })
  const ordinary = await acme.rest(path, { body: { workflowId: 'alarm', channels: { email: true } } })
  expect(ordinary.body.workflows[1]).toMatchObject({ enabled: false })
  expect(ordinary.body).not.toHaveProperty('warnings')
  const payload = await acme.act('updateSubscriberPreferences', { subscriberId: 'ada', enabled: true }, 'notes')
  expect(payload.notes).toEqual([])
})
