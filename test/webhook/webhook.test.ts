// Webhook messages as their receivers see them.
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { useReceiver } from '../support/delivery/receiver.ts'
import { signatureOf, subscribe, verified } from '../support/delivery/webhooks.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

test('the public library verifies a message, and rejects it with a changed body', async () => {
  const client = await world.environment()
  const crm = await subscribe(client, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
  await client.act('createSubscriber', { subscriberId: 'ada' })
  await world.work()
  const [message] = crm.messages()
  expect(message).toMatchObject({ type: 'subscriber.created', data: { subscriberId: 'ada' } })
  expect(message?.id).toMatch(/^msg_/)
  const { last } = receiver
  expect(last).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
  const changed = last.body.replace('ada', 'eve')
  expect(() => new Webhook(crm.secret).verify(changed, signatureOf(last))).toThrow()
})

test('after a rotation, both secrets verify a message until the former one ends', async () => {
  const client = await world.environment()
  const crm = await subscribe(client, receiver, { eventTypes: ['SUBSCRIBER_CREATED'] })
  const { secret } = await client.act('rotateWebhookSecret', { identifier: 'crm', keepOldFor: 600 }, 'secret')
  const current = z.string().parse(secret)
  const send = async (subscriberId: string) => {
    await client.act('createSubscriber', { subscriberId })
    await world.work()
    return receiver.last
  }
  const during = await send('ada')
  expect(verified(crm.secret, during)).toEqual(verified(current, during))
  await client.act('rotateWebhookSecret', { identifier: 'crm', keepOldFor: 0, secret: current }, 'secret')
  const after = await send('grace')
  expect(verified(current, after).data).toEqual({ subscriberId: 'grace' })
  expect(() => verified(crm.secret, after)).toThrow()
})
