// Concurrent operations that create or change the same subscriber and context, which must not deadlock.
import { beforeEach, expect, test } from 'vitest'
import { publicCallerOf, sign } from '../support/browser.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client
let publicCaller: Client

/** Each round uses another subscriber and context. A deadlock would occur within a few rounds. */
const ROUNDS = 25

beforeEach(async () => {
  acme = await world.environment()
  publicCaller = await publicCallerOf(world, acme)
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome', steps: [{ inApp: { body: 'Hello' } }] })
  await acme.act('createTopic', { key: 'news', name: 'News' })
})

const contextsOf = (tenant: string) => [{ type: 'tenant', identifier: tenant }]

/** Triggers for a subscriber and a context. @returns the payload. */
const trigger = (subscriberId: string, tenant: string) => {
  const to = [{ subscriber: { subscriberId, firstName: 'Ada' } }]
  return acme.act('triggerEvent', { workflowIdentifier: 'welcome', to, contexts: contextsOf(tenant) }, 'status')
}

const openSession = (subscriberId: string, tenant: string) => {
  const context = { tenant }
  const subscriberHash = sign(subscriberId, acme)
  const contextHash = sign(JSON.stringify(context), acme)
  return publicCaller.act('openSession', { subscriberId, context, subscriberHash, contextHash })
}

test('opening a session beside a trigger that names the same new subscriber and context', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = [`ada-${round}`, `acme-${round}`] as const
    const outcomes = await Promise.all([
      trigger(...names),
      openSession(...names),
      trigger(...names),
      openSession(...names),
    ])
    for (const { userErrors } of outcomes) expect(userErrors).toEqual([])
  }
})

test('sessions and triggers for many new subscribers and contexts, all at the same moment', async () => {
  const all = Array.from({ length: 3 * ROUNDS }, (_, index) => [`ada-${index % ROUNDS}`, `acme-${index % 7}`] as const)
  const outcomes = await Promise.all(
    all.flatMap(([subscriberId, tenant]) => [trigger(subscriberId, tenant), openSession(subscriberId, tenant)]),
  )
  for (const { userErrors } of outcomes) expect(userErrors).toEqual([])
})

test('changing preferences beside a trigger that names the same subscriber and new context', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = [`ada-${round}`, `acme-${round}`] as const
    const [subscriberId, tenant] = names
    await acme.act('createSubscriber', { subscriberId })
    const change = { subscriberId, contexts: contextsOf(tenant), channels: [{ channel: 'EMAIL', enabled: false }] }
    const outcomes = await Promise.all([trigger(...names), acme.act('updateSubscriberPreferences', change)])
    for (const { userErrors } of outcomes) expect(userErrors).toEqual([])
  }
})

test('subscribing to a topic beside a trigger that names the same subscriber and new context', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = [`ada-${round}`, `acme-${round}`] as const
    const [subscriberId, tenant] = names
    await acme.act('createSubscriber', { subscriberId })
    const subscriptions = { topicKey: 'news', contexts: contextsOf(tenant), subscriptions: [{ subscriberId }] }
    const outcomes = await Promise.all([trigger(...names), acme.act('createTopicSubscriptions', subscriptions)])
    for (const { userErrors } of outcomes) expect(userErrors).toEqual([])
  }
})
