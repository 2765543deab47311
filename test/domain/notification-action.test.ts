// The state of a notification's buttons.
import { beforeEach, describe, expect, test } from 'vitest'
import { browserOf } from '../support/browser.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { notify } from '../support/feed.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client
let id: string

const approve = { label: 'Approve', url: '/approve' }
const reject = { label: 'Reject', url: '/reject' }
const monday = new Date('2027-03-01T09:00:00Z')
const tuesday = new Date('2027-03-02T09:00:00Z')

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscribers', { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] })
  ;[id = ''] = await notify(world, acme, { subscriberId: 'ada', actions: [approve, reject] })
  return () => world.setClock(undefined)
})

const state = 'notification { readAt actions { label url isCompleted completedAt } }'
const change = (name: 'complete' | 'revert', action: string, of = id, client = acme) =>
  name === 'complete'
    ? client.act('completeNotificationAction', { id: of, action }, state)
    : client.act('revertNotificationAction', { id: of, action }, state)

describe('an action', () => {
  test('is completed once, and can be reverted', async () => {
    world.setClock(monday)
    const open = { isCompleted: false, completedAt: null }
    const done = { isCompleted: true, completedAt: monday.toISOString() }
    const stream = await acme.follow('subscription { notificationReceived(subscriberId: "ada") { id } }')
    expect((await change('complete', 'SECONDARY')).notification).toEqual({
      readAt: null,
      actions: [
        { ...approve, ...open },
        { ...reject, ...done },
      ],
    })
    world.setClock(tuesday)
    const again = await change('complete', 'SECONDARY')
    expect(again.notification.actions[1]).toEqual({ ...reject, ...done })
    const reverted = await change('revert', 'SECONDARY')
    expect(reverted.notification.actions[1]).toEqual({ ...reject, ...open })
    expect((await change('revert', 'SECONDARY')).userErrors).toEqual([])
    await stream.leave()
  })

  test('that the notification does not have is rejected, and the error names the field', async () => {
    const [one, none] = await notify(world, acme, { subscriberId: 'ada', actions: [approve] }, { subscriberId: 'ada' })
    for (const name of ['complete', 'revert'] as const) {
      expect((await change(name, 'SECONDARY', one)).userErrors).toEqual([
        {
          code: 'BAD_USER_INPUT',
          message: 'action must be one that the notification has: it has only a primary action',
          field: ['action'],
        },
      ])
      expect((await change(name, 'PRIMARY', none)).userErrors).toMatchObject([
        { message: 'action must be one that the notification has: it has no action', field: ['action'] },
      ])
    }
  })

  test('is completed and reverted through the REST API', async () => {
    const path = `/v2/subscribers/ada/notifications/${decodeNodeId(id).id}/actions` as const
    const completed = await acme.rest(`PATCH ${path}/primary/complete`)
    expect(completed).toMatchObject({
      status: 200,
      body: { actions: [{ ...approve, completedAt: expect.any(String) }, reject] },
    })
    expect((await acme.rest(`PATCH ${path}/primary/revert`)).body).toMatchObject({ actions: [approve, reject] })
    expect((await acme.rest(`PATCH ${path}/third/revert`)).status).toBe(404)
    const [plain = ''] = await notify(world, acme, { subscriberId: 'ada' })
    const without = `/v2/subscribers/ada/notifications/${decodeNodeId(plain).id}/actions/primary/complete` as const
    expect(await acme.rest(`PATCH ${without}`)).toMatchObject({ status: 422, body: { errors: { action: {} } } })
  })

  test('is completed by a session in its own feed only', async () => {
    const [graces] = await notify(world, acme, { subscriberId: 'grace', actions: [approve] })
    const browser = await browserOf(world, acme, 'ada', {})
    expect((await change('complete', 'PRIMARY', id, browser)).userErrors).toEqual([])
    expect((await change('complete', 'PRIMARY', graces, browser)).userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['id'] },
    ])
  })
})

test('a notification and its actions open where the step says, in previews and in the feed', async () => {
  const step = {
    inApp: {
      body: 'Hello',
      url: '/orders',
      target: 'BLANK',
      actions: [{ ...approve, target: 'UNFENCED_TOP' }, reject],
    },
  }
  const fields = 'target actions { label target }'
  const targets = {
    target: 'BLANK',
    actions: [
      { label: 'Approve', target: 'UNFENCED_TOP' },
      { label: 'Reject', target: null },
    ],
  }
  const created = await acme.act(
    'createWorkflow',
    { identifier: 'order', name: 'Order', steps: [step] },
    `workflow { steps { ... on InAppStep { ${fields} } } }`,
  )
  expect(created).toMatchObject({ workflow: { steps: [targets] } })
  await acme.act('triggerEvent', { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'grace' } }] })
  await world.work()
  const { subscriber } = await acme.ask(
    `{ subscriber(subscriberId: "grace") { notifications { nodes { ${fields} } } } }`,
  )
  expect(subscriber).toEqual({ notifications: { nodes: [targets] } })
  const { body } = await acme.rest('GET /v2/subscribers/grace/notifications')
  expect(body.data).toMatchObject([{ target: '_blank', actions: [{ target: '_unfencedTop' }, { label: 'Reject' }] }])
})
