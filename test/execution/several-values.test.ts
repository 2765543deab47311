// Filters with several values, of lists of events, runs and deliveries: by pages, and with rows that several values match.
import { beforeEach, describe, expect, test } from 'vitest'
import { housekeepingOf } from '../support/housekeeping.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let names: Map<string, string>

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const wait = { delay: { amount: 1, unit: 'HOURS' } }
const broken = { inApp: { ...bell.inApp, url: '{{ payload.url }}' } }
const to = (subscriberId: string) => ({ subscriberId, email: `${subscriberId}@example.com` })

/** Six events: mail to Ada, to both with a context, and rejected; a broken template; one that waits; an inactive workflow. */
beforeEach(async () => {
  acme = await world.environment()
  names = new Map()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  for (const [identifier, steps] of [
    ['mail', [mail]],
    ['broken', [broken]],
    ['later', [wait, bell]],
  ] as const) {
    await createWorkflow(acme, steps, { identifier })
  }
  await createWorkflow(acme, [bell], { identifier: 'off', active: false })
  const add = async (name: string, more: object) => {
    names.set(await trigger(acme, more), name)
    await world.work()
  }
  await add('ada', { name: 'mail', to: to('ada') })
  await add('both', { name: 'mail', to: [to('ada'), to('grace')], context: { tenant: 'acme' } })
  receiver.answer(400, 'no such user')
  await add('rejected', { name: 'mail', to: to('grace'), context: { tenant: 'globex' } })
  await add('broken', { name: 'broken', to: 'ada', payload: { url: 'javascript:alert(1)' } })
  await add('waiting', { name: 'later', to: 'ada' })
  const { event } = await acme.act(
    'triggerEvent',
    { name: 'off', to: [{ subscriber: { subscriberId: 'ada' } }] },
    'event { transactionId }',
  )
  names.set(event.transactionId, 'off')
})

interface Row {
  readonly event?: { readonly transactionId: string }
  readonly transactionId?: string
}

interface Listed {
  readonly list: {
    readonly totalCount: number
    readonly nodes: readonly Row[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

const lists = {
  events: { type: 'Event', fields: 'transactionId' },
  workflowRuns: { type: 'WorkflowRun', fields: 'event { transactionId }' },
  deliveries: { type: 'Delivery', fields: 'event { transactionId }' },
} as const

/** The names of the events of a list, oldest first, read one by one. */
async function namesOf(list: keyof typeof lists, filter: object, field = 'CREATED_AT'): Promise<string[]> {
  const { type, fields } = lists[list]
  const found: string[] = []
  for (let after: string | null = null; ;) {
    const { list: page }: Listed = await acme.ask<Listed>(
      `query ($filter: ${type}Filter, $after: String, $orderBy: ${type}Order) {
        list: ${list}(first: 1, after: $after, filter: $filter, orderBy: $orderBy) {
          totalCount nodes { ${fields} } pageInfo { hasNextPage endCursor }
        }
      }`,
      { filter, after, orderBy: { field, direction: 'ASC' } },
    )
    found.push(
      ...page.nodes.map(({ event, transactionId }) => names.get(event?.transactionId ?? transactionId ?? '') ?? ''),
    )
    if (!page.pageInfo.hasNextPage) {
      expect(found).toHaveLength(page.totalCount)
      return found
    }
    after = page.pageInfo.endCursor
  }
}

describe('a list matches any of several values, in order:', () => {
  test.each([
    ['events', { workflowIdentifiers: ['mail', 'off'] }, ['ada', 'both', 'rejected', 'off']],
    ['events', { workflowIdentifiers: ['mail', 'mail'] }, ['ada', 'both', 'rejected']],
    ['events', { subscriberIds: ['ada', 'grace'] }, ['ada', 'both', 'rejected', 'broken', 'waiting']],
    ['events', { subscriberIds: ['grace', 'none'], statuses: ['COMPLETED', 'RUNNING'] }, ['both', 'rejected']],
    ['events', { subscriberIds: ['ada', 'grace'], outcomes: ['FAILED', 'PENDING'] }, ['rejected', 'broken', 'waiting']],
    ['events', { statuses: ['SKIPPED', 'RUNNING'] }, ['waiting', 'off']],
    ['events', { outcomes: ['FAILED', 'NOTHING', 'PENDING'] }, ['rejected', 'broken', 'waiting', 'off']],
    [
      'events',
      { outcomes: ['FAILED', 'DELIVERED'], workflowIdentifiers: ['mail', 'off'] },
      ['ada', 'both', 'rejected'],
    ],
    ['events', { outcomes: ['NOTHING', 'DELIVERED'], statuses: ['SKIPPED', 'FAILED'] }, ['off']],
    ['events', { reasons: ['WORKFLOW_INACTIVE', 'NO_STEPS'] }, ['off']],
    ['events', { contextKeys: ['tenant:acme'] }, ['both']],
    ['events', { status: 'SKIPPED', statuses: ['SKIPPED', 'RUNNING'] }, ['off']],
    ['events', { status: 'FAILED', statuses: ['SKIPPED', 'RUNNING'] }, []],
    ['events', { workflowIdentifier: 'mail', workflowIdentifiers: ['off'] }, []],
    ['events', { outcome: 'FAILED', outcomes: ['NOTHING'] }, []],
    ['workflowRuns', { outcomes: ['FAILED', 'PENDING'] }, ['rejected', 'broken', 'waiting']],
    ['workflowRuns', { statuses: ['WAITING', 'RUNNING'] }, ['waiting']],
    ['workflowRuns', { reasons: ['CONTENT', 'RUN_FAILED'] }, ['broken']],
    ['workflowRuns', { causes: ['REJECTED', 'UNAVAILABLE'] }, ['rejected']],
    ['workflowRuns', { causes: ['UNAVAILABLE'] }, []],
    ['workflowRuns', { stepIds: ['bell', 'mail'] }, ['rejected', 'broken']],
    [
      'workflowRuns',
      { subscriberIds: ['ada', 'grace'], workflowIdentifiers: ['mail'] },
      ['ada', 'both', 'both', 'rejected'],
    ],
    ['workflowRuns', { contextKeys: ['tenant:acme'] }, ['both', 'both']],
    ['workflowRuns', { contextKeys: [] }, ['ada', 'broken', 'waiting']],
    ['deliveries', { statuses: ['SENT', 'FAILED'] }, ['ada', 'both', 'both', 'rejected']],
    ['deliveries', { causes: ['REJECTED'] }, ['rejected']],
    ['deliveries', { channels: ['EMAIL', 'SMS'], subscriberIds: ['grace', 'none'] }, ['both', 'rejected']],
    ['deliveries', { integrationIdentifiers: ['email_webhook', 'other'], workflowIdentifiers: ['off'] }, []],
    ['deliveries', { stepIds: ['mail', 'none'] }, ['ada', 'both', 'both', 'rejected']],
    ['deliveries', { stepIds: ['bell'] }, []],
    ['deliveries', { contextKeys: ['tenant:globex'] }, ['rejected']],
    ['deliveries', { contextKeys: [] }, ['ada']],
  ] as const)('%s by %j', async (list, filter, expected) => {
    expect(await namesOf(list, filter)).toEqual(expected)
    expect((await namesOf(list, filter, 'UPDATED_AT')).toSorted()).toEqual([...expected].toSorted())
  })
})

test('more combinations than a statement has parts for are found too', async () => {
  const none = Array.from({ length: 40 }, (_, index) => `none-${index}`)
  const filter = { subscriberIds: ['ada', ...none], workflowIdentifiers: ['mail', ...none] }
  expect(await namesOf('deliveries', filter)).toEqual(['ada', 'both'])
  expect(await namesOf('workflowRuns', { ...filter, outcomes: ['DELIVERED', 'FAILED'] })).toEqual(['ada', 'both'])
  expect(await namesOf('events', { ...filter, outcomes: ['DELIVERED', 'FAILED'] })).toEqual(['ada', 'both'])
  expect(
    await namesOf('events', { workflowIdentifiers: ['mail', ...none], statuses: ['COMPLETED', 'SKIPPED'] }),
  ).toEqual(['ada', 'both', 'rejected'])
})

test.each([
  ['events', 'workflowIdentifiers', [], 'must be at least 1 item long'],
  ['workflowRuns', 'subscriberIds', Array.from({ length: 51 }, String), 'must be at most 50 items long'],
  ['deliveries', 'workflowIdentifiers', ['\0'], 'must not contain NUL'],
] as const)('%s by too many, too few or invalid %s are an error', async (list, field, values, message) => {
  const { errors } = await acme.send<string>(
    `query ($filter: ${lists[list].type}Filter) { ${list}(filter: $filter) { totalCount } }`,
    { filter: { [field]: values } },
  )
  expect(errors[0]?.message).toContain(field)
  expect(errors[0]?.message).toContain(message)
})

test('rows of an earlier version have contexts once they are copied', async () => {
  const { pool } = world.database
  const filter = { contextKeys: ['tenant:acme'] }
  await pool.query('UPDATE workflow_runs SET context_keys = NULL')
  await pool.query('UPDATE deliveries SET context_keys = NULL')
  expect(await namesOf('deliveries', filter)).toEqual([])
  await housekeepingOf(world).perform('copied_columns')
  expect(await namesOf('workflowRuns', filter)).toEqual(['both', 'both'])
  expect(await namesOf('deliveries', filter)).toEqual(['both', 'both'])
})
