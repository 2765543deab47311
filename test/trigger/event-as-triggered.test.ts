// What an event keeps of its trigger: recipients and actor with links, and the workflow in the version that it runs.
import { beforeEach, describe, expect, test } from 'vitest'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const bell = (body: string) => ({ inApp: { stepId: 'bell', body } })

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [bell('Hello')])
  await done(acme, 'createTopic', { key: 'news', name: 'News' })
})

const toFields = `to {
  __typename
  ... on SubscriberRecipient { subscriberId subscriber { firstName } }
  ... on TopicRecipient { topicKey topic { name } exclude }
}`

async function recipientsOf(client: Client, id: string) {
  const { event } = await client.ask<{ event: object }>(
    `query ($id: String!) {
      event(transactionId: $id) { ${toFields} recipients actorSubscriberId actorSubscriber { firstName } actor }
    }`,
    { id },
  )
  return event
}

describe('the recipients of an event', () => {
  const to = [
    { subscriberId: 'ada', firstName: 'Ada' },
    'grace',
    'ada',
    { type: 'Topic', topicKey: 'news', exclude: ['eve'] },
  ]

  test('are subscribers and topics with links, beside the former JSON', async () => {
    const id = await trigger(acme, { to, actor: { subscriberId: 'alan', firstName: 'Alan' } })
    expect(await recipientsOf(acme, id)).toEqual({
      to: [
        { __typename: 'SubscriberRecipient', subscriberId: 'ada', subscriber: { firstName: 'Ada' } },
        { __typename: 'SubscriberRecipient', subscriberId: 'grace', subscriber: { firstName: null } },
        { __typename: 'TopicRecipient', topicKey: 'news', topic: { name: 'News' }, exclude: ['eve'] },
      ],
      recipients: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }, { topicKey: 'news', exclude: ['eve'] }],
      actorSubscriberId: 'alan',
      actorSubscriber: { firstName: 'Alan' },
      actor: 'alan',
    })
  })

  test('that are gone have no link, also after another subscriber was created under the same id', async () => {
    const id = await trigger(acme, { to })
    await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
    await done(acme, 'createSubscriber', { subscriberId: 'ada', firstName: 'Another' })
    await done(acme, 'deleteTopic', { key: 'news' })
    expect(await recipientsOf(acme, id)).toMatchObject({
      to: [
        { subscriberId: 'ada', subscriber: null },
        { subscriberId: 'grace', subscriber: { firstName: null } },
        { topicKey: 'news', topic: null, exclude: ['eve'] },
      ],
      actorSubscriberId: null,
      actorSubscriber: null,
    })
  })

  test('of an event of an earlier version are found by their subscriberId', async () => {
    const id = await trigger(acme, { to: { subscriberId: 'ada', firstName: 'Ada' } })
    await world.database.pool.query(
      `UPDATE events SET recipients = '[{"subscriberId": "ada"}, {"topicKey": "news"}]' WHERE transaction_id = $1`,
      [id],
    )
    expect(await recipientsOf(acme, id)).toMatchObject({
      to: [
        { subscriberId: 'ada', subscriber: { firstName: 'Ada' } },
        { topicKey: 'news', exclude: [] },
      ],
    })
  })

  test('do not name an erased person', async () => {
    const id = await trigger(acme, { to: ['ada', 'grace'], actor: 'ada' })
    await world.work()
    await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(JSON.stringify(await recipientsOf(acme, id))).not.toContain('"ada"')
  })
})

describe('the workflow of an event', () => {
  const ranFields = `
    workflow { version }
    workflowSnapshot { version name critical severity tags steps { stepId type ... on InAppStep { body } } }`

  const ran = async (id: string) =>
    (await acme.ask<{ event: object }>(`query ($id: String!) { event(transactionId: $id) { ${ranFields} } }`, { id }))
      .event

  test('has the version and the texts at the time of the trigger', async () => {
    const first = await trigger(acme)
    await done(acme, 'updateWorkflow', { identifier: 'order', steps: [bell('Goodbye')], name: 'Farewell', tags: ['x'] })
    const second = await trigger(acme)
    const kept = { critical: false, severity: 'NONE' }
    const was = { version: 1, name: 'Order', tags: [], steps: [{ stepId: 'bell', type: 'IN_APP', body: 'Hello' }] }
    expect(await ran(first)).toEqual({ workflow: { version: 2 }, workflowSnapshot: { ...kept, ...was } })
    expect(await ran(second)).toMatchObject({
      workflow: { version: 2 },
      workflowSnapshot: { version: 2, name: 'Farewell', tags: ['x'], steps: [{ body: 'Goodbye' }] },
    })
    expect((await acme.rest(`GET /v1/events/${first}`)).body).toMatchObject({ workflowVersion: 1 })

    await done(acme, 'deleteWorkflow', { identifier: 'order' })
    expect(await ran(first)).toEqual({ workflow: null, workflowSnapshot: { ...kept, ...was } })
    expect((await acme.rest(`GET /v1/events/${second}`)).body).toMatchObject({ workflowVersion: 2 })
  })

  test('has no version in an event of an earlier version of the gateway', async () => {
    const id = await trigger(acme)
    await world.database.pool.query(
      `INSERT INTO workflow_snapshots (environment_id, hash, workflow)
       SELECT environment_id, 'earlier', workflow - 'workflowVersion' FROM workflow_snapshots
       WHERE hash = (SELECT snapshot_hash FROM events WHERE transaction_id = $1)`,
      [id],
    )
    await world.database.pool.query(`UPDATE events SET snapshot_hash = 'earlier' WHERE transaction_id = $1`, [id])
    expect(await ran(id)).toMatchObject({ workflowSnapshot: { version: null, steps: [{ body: 'Hello' }] } })
    expect((await acme.rest(`GET /v1/events/${id}`)).body).not.toHaveProperty('workflowVersion')
  })
})
