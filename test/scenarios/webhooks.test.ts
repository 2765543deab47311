// Scenarios of webhooks: a secret that is rotated while messages flow, and a receiver that lost what it had received.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { useReceiver } from '../support/delivery/receiver.ts'
import { done } from '../support/delivery/story.ts'
import { subscribe, verified } from '../support/delivery/webhooks.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

test('a secret is rotated while messages flow, and the public library accepts every request with either secret', async () => {
  const acme = await world.environment()
  const crm = await subscribe(acme, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
  const names = Array.from({ length: 30 }, (_, index) => `reader-${index}`)
  const [before, during, after] = [names.slice(0, 10), names.slice(10, 20), names.slice(20)]
  const add = async (added: readonly string[]) => {
    for (const subscriberId of added) await done(acme, 'createSubscriber', { subscriberId })
  }
  await add(before)
  const [{ secret }] = await Promise.all([
    done(acme, 'rotateWebhookSecret', { identifier: 'crm', keepOldFor: 3600 }, 'secret'),
    add(during),
    world.work(),
  ])
  const rotated = z.string().parse(secret)
  await add(after)
  await world.work()
  const readers = (messages: readonly { data: Readonly<Record<string, unknown>> }[]) =>
    messages.map(({ data }) => data['subscriberId']).toSorted()
  expect(readers(crm.messages())).toEqual(names.toSorted())
  const late = receiver.received.filter(({ body }) => after.some((name) => body.includes(`"${name}"`)))
  expect(readers(late.map((request) => verified(rotated, request)))).toEqual(after.toSorted())
})

test('a receiver that lost an hour gets the messages of that hour again, with their ids', async () => {
  const acme = await world.environment()
  const crm = await subscribe(acme, receiver, { eventTypes: ['SUBSCRIBER_CREATED', 'SUBSCRIBER_UPDATED'] })
  const start = world.gateway.now()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  await done(acme, 'updateSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
  await world.work()
  const first = crm.messages()
  expect(first.map(({ type }) => type).toSorted()).toEqual(['subscriber.created', 'subscriber.updated'])
  const from = start.toISOString()
  await done(acme, 'replayWebhooks', { identifier: 'crm', from, eventTypes: ['SUBSCRIBER_CREATED'] })
  await done(acme, 'replayWebhooks', { identifier: 'crm', from: new Date(0).toISOString(), to: from })
  await world.work()
  expect(crm.messages().slice(2)).toEqual(first.filter(({ type }) => type === 'subscriber.created'))
})
