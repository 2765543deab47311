// Preferences during delivery: precedence, contexts and critical workflows.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { bodiesOf, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
})

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

const prefer = (input: object) => done(acme, 'updateSubscriberPreferences', { subscriberId: 'ada', ...input })
const inApp = (enabled: boolean) => [{ channel: 'IN_APP', enabled }]

async function outcomeOf(more: object = {}): Promise<string | undefined> {
  const transactionId = await trigger(acme, more)
  await world.work()
  return (await outcomes(acme, transactionId))['bell']
}

const byWorkflow = 'SKIPPED subscriber_workflow_preference'
const byAll = 'SKIPPED subscriber_global_preference'
const byDefault = 'SKIPPED workflow_default'

describe('a channel', () => {
  test('is used when there are no preferences', async () => {
    await createWorkflow(acme, [bell])
    expect(await outcomeOf()).toBe('SENT')
  })

  test("follows the workflow's default unless the subscriber has a preference", async () => {
    await createWorkflow(acme, [bell], { channels: inApp(false) })
    expect(await outcomeOf()).toBe(byDefault)
    await prefer({ channels: inApp(true) })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('that is turned off is the reason of a step even if no integration exists', async () => {
    await createWorkflow(acme, [{ email: { stepId: 'bell', subject: 'Hi', body: 'Hello' } }])
    expect(await outcomeOf()).toBe('SKIPPED no_integration')
    await prefer({ enabled: false })
    expect(await outcomeOf()).toBe(byAll)
  })

  test('follows the preference for all workflows unless there is one for the workflow', async () => {
    await createWorkflow(acme, [bell])
    await prefer({ channels: inApp(false) })
    expect(await outcomeOf()).toBe(byAll)
    await prefer({ workflowIdentifier: 'order', channels: inApp(true) })
    expect(await outcomeOf()).toBe('SENT')
    await prefer({ channels: inApp(true) })
    await prefer({ workflowIdentifier: 'order', channels: inApp(false) })
    expect(await outcomeOf()).toBe(byWorkflow)
  })

  test('is not used when the subscriber disables the workflow or all workflows', async () => {
    await createWorkflow(acme, [bell])
    await prefer({ enabled: false })
    expect(await outcomeOf()).toBe(byAll)
    await prefer({ enabled: true })
    await prefer({ workflowIdentifier: 'order', enabled: false })
    expect(await outcomeOf()).toBe(byWorkflow)
  })

  test('that is turned off is explained by subscriber, channel and workflow', async () => {
    await createWorkflow(acme, [bell], { channels: inApp(false) })
    const detailOf = async () => {
      const transactionId = await trigger(acme)
      await world.work()
      const { event } = await acme.ask(
        'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { detail } } } } }',
        { id: transactionId },
      )
      return event.runs.nodes[0].steps[0].detail
    }
    expect(await detailOf()).toBe(
      'The workflow "order" does not use the in-app channel by default, and subscriber "ada" has no preference.',
    )
    await prefer({ workflowIdentifier: 'order', channels: inApp(false) })
    expect(await detailOf()).toBe('Subscriber "ada" turned off the in-app channel of the workflow "order".')
    await prefer({ workflowIdentifier: 'order', enabled: false })
    expect(await detailOf()).toBe('Subscriber "ada" turned off the workflow "order".')
  })

  test('is used for a workflow that the subscriber turned on after turning all off', async () => {
    await createWorkflow(acme, [bell])
    await createWorkflow(acme, [bell], { identifier: 'other' })
    await prefer({ enabled: false })
    await prefer({ workflowIdentifier: 'order', enabled: true })
    expect(await outcomeOf()).toBe('SENT')
    expect(await outcomeOf({ name: 'other' })).toBe(byAll)
  })

  test('is not used when the subscriber turns all workflows off after choosing it for one', async () => {
    await createWorkflow(acme, [bell])
    await prefer({ workflowIdentifier: 'order', channels: inApp(true) })
    await prefer({ enabled: false })
    expect(await outcomeOf()).toBe(byAll)
  })

  test('is not affected by preferences for other channels', async () => {
    await createWorkflow(acme, [bell])
    await prefer({ channels: [{ channel: 'EMAIL', enabled: false }] })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('of a critical workflow is used regardless of preferences', async () => {
    await createWorkflow(acme, [bell], { critical: true, channels: inApp(false) })
    await prefer({ enabled: false, channels: inApp(false) })
    await prefer({ workflowIdentifier: 'order', enabled: false, channels: inApp(false) })
    expect(await outcomeOf()).toBe('SENT')
  })

  test('follows the preference for exactly the contexts of the trigger', async () => {
    await createWorkflow(acme, [bell])
    await prefer({ channels: inApp(false), contexts: [{ type: 'tenant', identifier: 'acme' }] })
    expect(await outcomeOf({ context: { tenant: 'acme' } })).toBe(byAll)
    expect(await outcomeOf({ context: { tenant: 'globex' } })).toBe('SENT')
    expect(await outcomeOf({ context: { tenant: 'acme', app: 'shop' } })).toBe('SENT')
    expect(await outcomeOf()).toBe('SENT')
    expect(await bodiesOf(acme, 'ada', ['tenant:acme'])).toEqual([])
    expect(await bodiesOf(acme, 'ada', ['app:shop', 'tenant:acme'])).toEqual(['Hello'])
  })

  test('follows the preference at the time of the step, not of the trigger', async () => {
    await createWorkflow(acme, [{ delay: { amount: 1, unit: 'HOURS' } }, bell])
    const transactionId = await trigger(acme)
    await world.work()
    await prefer({ enabled: false })
    await world.work({ early: true })
    expect((await outcomes(acme, transactionId))['bell']).toBe(byAll)
  })

  test('is decided separately for each subscriber', async () => {
    await createWorkflow(acme, [bell])
    await prefer({ enabled: false })
    await trigger(acme, { to: ['ada', 'grace'] })
    await world.work()
    expect([await bodiesOf(acme), await bodiesOf(acme, 'grace')]).toEqual([[], ['Hello']])
  })
})

describe('notifications that are turned off without context', () => {
  const acmeContext = [{ type: 'tenant', identifier: 'acme' }]
  const underAcme = { context: { tenant: 'acme' } }

  beforeEach(async () => {
    await createWorkflow(acme, [bell])
    await prefer({ enabled: false })
  })

  test('are off under all contexts, and the reason says where the preference was made', async () => {
    const transactionId = await trigger(acme, underAcme)
    await world.work()
    expect((await outcomes(acme, transactionId))['bell']).toBe(byAll)
    const { event } = await acme.ask(`{ event(transactionId: "${transactionId}") {
      runs { nodes { steps { detail } } } } }`)
    expect(event.runs.nodes[0].steps[0].detail).toContain('made without context')
    expect(await outcomeOf({ context: { tenant: 'globex', app: 'shop' } })).toBe(byAll)
  })

  test('are previewed as they are delivered', async () => {
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }],
          contexts: [{ type: "tenant", identifier: "acme" }] }) { runs { steps { status reason } } } }`,
    )
    expect(previewTrigger.runs).toEqual([{ steps: [{ status: 'SKIPPED', reason: 'subscriber_global_preference' }] }])
  })

  test('are on under contexts in which the subscriber turned them on', async () => {
    await prefer({ enabled: true, contexts: acmeContext })
    expect(await outcomeOf(underAcme)).toBe('SENT')
    expect(await outcomeOf()).toBe(byAll)
  })

  test('are on for the channel that the subscriber turned on under the contexts', async () => {
    await prefer({ channels: inApp(true), contexts: acmeContext })
    expect(await outcomeOf(underAcme)).toBe('SENT')
    expect(await outcomeOf({ context: { tenant: 'globex' } })).toBe(byAll)
  })

  test('are on for the workflow that the subscriber turned on under the contexts', async () => {
    await createWorkflow(acme, [bell], { identifier: 'other' })
    await prefer({ workflowIdentifier: 'order', enabled: true, contexts: acmeContext })
    expect(await outcomeOf(underAcme)).toBe('SENT')
    expect(await outcomeOf({ ...underAcme, name: 'other' })).toBe(byAll)
  })

  test('are on for the workflow that the subscriber turned on without context, under all contexts', async () => {
    await prefer({ workflowIdentifier: 'order', enabled: true })
    expect(await outcomeOf(underAcme)).toBe('SENT')
    await prefer({ workflowIdentifier: 'order', channels: inApp(false) })
    expect(await outcomeOf(underAcme)).toBe(byWorkflow)
    await prefer({ workflowIdentifier: 'order', channels: inApp(true), contexts: acmeContext })
    expect(await outcomeOf(underAcme)).toBe('SENT')
  })

  test('are off under contexts with other preferences only', async () => {
    await prefer({ channels: [{ channel: 'EMAIL', enabled: true }], contexts: acmeContext })
    await prefer({ workflowIdentifier: 'order', channels: [{ channel: 'SMS', enabled: true }], contexts: acmeContext })
    expect(await outcomeOf(underAcme)).toBe(byAll)
  })

  test('are on again everywhere when they are turned on without context', async () => {
    await prefer({ enabled: true })
    expect(await outcomeOf(underAcme)).toBe('SENT')
  })
})

test('other preferences without context do not apply under contexts', async () => {
  await createWorkflow(acme, [bell])
  await prefer({ channels: inApp(false) })
  await prefer({ workflowIdentifier: 'order', enabled: false })
  expect(await outcomeOf({ context: { tenant: 'acme' } })).toBe('SENT')
})
