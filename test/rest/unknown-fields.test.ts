// Fields that a route does not know: an error where their loss would do harm, unless published clients send them.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await acme.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
  await acme.rest('POST /v2/workflows', {
    body: { identifier: 'welcome', name: 'Welcome', steps: [{ type: 'in_app', body: 'Hello' }] },
  })
  await acme.rest('POST /v2/topics/news/subscriptions', { body: { subscriptions: ['ada'] } })
})

const preferences = 'PATCH /v2/subscribers/ada/preferences'
const subscribing = 'POST /v2/topics/news/subscriptions'
const subscription = 'PATCH /v2/topics/news/subscriptions/tk%3Dnews%3Asi%3Dada'
const triggering = 'POST /v1/events/trigger'
const trigger = { name: 'welcome', to: 'ada' }

describe('an unknown field is an error that names it and the allowed ones', () => {
  test.each([
    [preferences, { workflowID: 'welcome', enabled: false }, 'workflowID', 'did you mean workflowId?'],
    ['POST /v1/events/bulk/cancel', { workflow: 'welcome', subscriberID: 'ada' }, 'subscriberID', 'subscriberId?'],
    [
      preferences,
      { tags: ['marketing'], enabled: false },
      'tags',
      'allowed fields: context, workflowId, categoryKey, enabled',
    ],
    [subscribing, { subscriptions: ['ada'], preference: ['welcome'] }, 'preference', 'did you mean preferences?'],
    [
      subscribing,
      { subscriptions: [{ subscriberId: 'ada', preferences: [] }] },
      'subscriptions.0.preferences',
      'allowed fields: subscriberId, identifier, name',
    ],
    [subscription, { preference: ['welcome'] }, 'preference', 'did you mean preferences?'],
    [
      subscription,
      { preferences: [{ workflowId: 'welcome', enable: false }] },
      'preferences.0.enable',
      'did you mean enabled?',
    ],
    [
      subscription,
      { preferences: [{ filter: { tags: ['a'], workflows: ['b'] } }] },
      'preferences.0.filter.workflows',
      'did you mean workflowIds? Allowed fields: workflowIds, tags',
    ],
    [triggering, { ...trigger, sendAt: '2030-01-01T09:00:00Z' }, 'sendAt', 'allowed fields: name, to, payload'],
    [triggering, { ...trigger, transactionID: 'a' }, 'transactionID', 'did you mean transactionId?'],
    [
      triggering,
      { name: 'welcome', to: [{ type: 'Topic', topicKey: 'news', excluded: ['ada'] }] },
      'to.0.excluded',
      'did you mean exclude?',
    ],
    [triggering, { name: 'welcome', to: { subscriberId: 'ada', fistName: 'Ada' } }, 'to.fistName', 'mean firstName?'],
    [
      triggering,
      { name: 'welcome', to: ['ada', { subscriberId: 'ada', tenant: 'acme' }] },
      'to.1.tenant',
      'allowed fields: firstName, lastName, email',
    ],
    [triggering, { ...trigger, actor: { subscriberId: 'ada', emial: null } }, 'actor.emial', 'did you mean email?'],
    ['POST /v1/messages/retry', { subscriberID: 'ada', dryRun: true }, 'subscriberID', 'subscriberId?'],
    ['POST /v1/workflow-runs/retry', { subscriberID: 'ada', dryRun: true }, 'subscriberID', 'subscriberId?'],
  ] as const)('%s %j', async (target, body, field, hint) => {
    const answer = await acme.rest(target, { body })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    expect(answer.body.errors[field]?.messages[0]).toContain(' is unknown; ')
    expect(answer.body.errors[field]?.messages[0]).toContain(hint)
  })

  test('and nothing is written', async () => {
    await acme.rest(preferences, { body: { workflowID: 'welcome', enabled: false } })
    expect((await acme.rest('GET /v2/subscribers/ada/preferences')).body.global.enabled).toBe(true)
    await acme.rest(triggering, { body: { ...trigger, transactionId: 'late', sendAt: '2030-01-01T09:00:00Z' } })
    expect(await acme.ask('{ event(transactionId: "late") { id } }')).toEqual({ event: null })
  })

  test('and in a bulk request, only its trigger fails', async () => {
    const { status, body } = await acme.rest('POST /v1/events/trigger/bulk', {
      body: { events: [{ ...trigger, sendAt: '2030-01-01T09:00:00Z' }, trigger] },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject([
      { status: 'error', error: [expect.stringMatching(/^sendAt is unknown; allowed fields: name, /)] },
      { status: 'processed' },
    ])
  })
})

/** What published clients send, field by field, with the fields that the response warns of. */
const published: readonly (readonly [
  target: `${string} /${string}`,
  body: Record<string, unknown>,
  warned: string[],
])[] = [
  [preferences, { channels: { email: false, in_app: true } }, []],
  [preferences, { workflowId: 'welcome', channels: { sms: false }, context: { tenant: 'acme' } }, []],
  [preferences, { schedule: { isEnabled: true, weeklySchedule: {} } }, []],
  [subscribing, { subscriptions: ['ada', { identifier: 'vip', subscriberId: 'ada', name: 'VIP' }], name: 'Daily' }, []],
  [subscribing, { subscriptions: ['ada'], subscriberIds: ['ada'] }, ['subscriberIds']],
  [
    subscribing,
    {
      subscriptions: ['ada'],
      context: { tenant: { id: 'acme', data: { plan: 'pro' } } },
      preferences: ['welcome', { workflowId: 'welcome', condition: { '==': [1, 1] } }],
    },
    [],
  ],
  [subscription, { name: 'Daily', preferences: [{ filter: { workflowIds: ['welcome'], tags: ['a'] } }] }, []],
  [subscription, { preferences: [{ workflowId: 'welcome', enabled: false, condition: { '==': [1, 1] } }] }, []],
  [triggering, { ...trigger, payload: { a: 1 }, overrides: {}, transactionId: 'one', actor: 'ada' }, []],
  [triggering, { ...trigger, context: { tenant: 'acme' }, bridgeUrl: null, agentId: null, tenant: null }, []],
  [triggering, { ...trigger, tenant: 'acme' }, ['tenant']],
  [triggering, { ...trigger, tenant: { identifier: 'acme', name: 'Acme' } }, ['tenant']],
  [triggering, { ...trigger, bridgeUrl: 'https://example.com', agentId: 'a' }, ['bridgeUrl', 'agentId']],
  [
    triggering,
    {
      name: 'welcome',
      to: [
        {
          ...{
            subscriberId: 'ada',
            firstName: 'Ada',
            lastName: 'L',
            email: 'ada@example.com',
            phone: '1',
            avatar: 'a',
          },
          ...{ locale: 'en_US', timezone: 'Europe/London', data: { plan: 'pro' }, channels: [] },
        },
        { type: 'Subscriber', subscriberId: 'grace' },
        { type: 'Topic', topicKey: 'news', exclude: ['grace'] },
      ],
      actor: { subscriberId: 'grace', firstName: 'Grace' },
    },
    [],
  ],
  [
    triggering,
    {
      ...trigger,
      to: [
        { subscriberId: 'ada', _id: '1', deleted: false },
        { subscriberId: 'grace', _id: '2' },
      ],
    },
    ['to._id', 'to.deleted'],
  ],
  [triggering, { ...trigger, to: { subscriberId: 'ada', createdAt: null } }, []],
]

describe('a field that published clients send is accepted, and the response warns if it has no effect', () => {
  test.each(published)('%s %j', async (target, body, warned) => {
    const answer = await acme.rest(target, { body })
    expect(answer.body.errors).toBeUndefined()
    expect(answer.status).toBe(target.startsWith('POST') ? 201 : 200)
    expect((answer.body.warnings ?? []).map((warning) => warning.split(' ')[0])).toEqual(warned)
  })

  test('for each trigger of a bulk request', async () => {
    const { body } = await acme.rest('POST /v1/events/trigger/bulk', {
      body: { events: [trigger, { ...trigger, tenant: 'acme', agentId: null }] },
    })
    expect(body).toEqual([
      { acknowledged: true, status: 'processed', transactionId: expect.any(String) },
      {
        ...{ acknowledged: true, status: 'processed', transactionId: expect.any(String) },
        warnings: ['tenant has no effect; send it as a context: "context": { "tenant": "acme" }'],
      },
    ])
  })
})
