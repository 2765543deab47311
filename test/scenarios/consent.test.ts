// Scenarios of consent: one click in a mail client, and the questions of an auditor, before and after the erasure.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { browserOf } from '../support/browser.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { bySendgrid, byTwilio, sendgridKey, type SignedRequest, twilioToken } from '../support/reports/signed.ts'
import { type Client, useWorld } from '../support/world.ts'

/** Each request happens a minute after the one before, so that the limit of a link allows it. */
const start = Date.now()
let minutes = 0

const world = useWorld({ baseUrl: 'https://gateway.example' })
const sendgrid = useReceiver()
const twilio = useReceiver()
let acme: Client

const ADA = { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' }
const SHOP = '+15550001'

beforeEach(async () => {
  acme = await world.environment()
  sendgrid.answer(202, '')
  twilio.answer(201, { sid: 'SM1' })
  await createIntegration(acme, 'SENDGRID', '', {
    identifier: 'mail',
    credentials: { from: 'shop@example.com', apiKey: 'k', webhookSigningKey: sendgridKey, baseUrl: sendgrid.url },
  })
  await createIntegration(acme, 'TWILIO', '', {
    identifier: 'text',
    credentials: { accountSid: 'AC', token: twilioToken, from: SHOP, baseUrl: twilio.url },
  })
  await done(acme, 'createSubscriber', ADA)
  const mail = { email: { stepId: 'mail', subject: 'Order', body: 'Shipped' } }
  await createWorkflow(acme, [mail, { sms: { stepId: 'text', body: 'Shipped' } }])
})

afterEach(() => world.setClock(undefined))

async function request(url: string, init: RequestInit): Promise<string> {
  world.setClock(new Date(start + (minutes += 1) * 60_000))
  const response = await world.app.fetch(new Request(url, init))
  expect(response.ok).toBe(true)
  return response.text()
}

const post = (url: string, fields: Record<string, string>) =>
  request(url, { method: 'POST', body: new URLSearchParams(fields) })

/** The outcomes of the steps of the next event. */
async function next(more: object = {}) {
  const id = await trigger(acme, more)
  await world.work()
  return outcomes(acme, id)
}

const message = z.object({ headers: z.object({ 'List-Unsubscribe': z.string() }) })

/** The link in the header of the last email. */
function linkOf({ json }: typeof sendgrid.last): string {
  const [, link = ''] = /<(https:[^>]+)>/.exec(message.parse(json).headers['List-Unsubscribe']) ?? []
  return link
}

async function webhookOf(identifier: string): Promise<string> {
  const { integration } = await acme.ask<{ integration: { inboundWebhook: { url: string } } }>(
    'query ($id: String!) { integration(identifier: $id) { inboundWebhook { url } } }',
    { id: identifier },
  )
  return integration.inboundWebhook.url
}

const signedRequest = (url: string, { body, headers }: SignedRequest) =>
  request(url, { method: 'POST', body, headers: { ...headers } })

/** SendGrid reports that Ada has marked her last email as spam. */
async function complain() {
  const [, deliveryId] = /"delivery_id":"([^"]+)"/.exec(sendgrid.last.body) ?? []
  const now = world.gateway.now()
  const timestamp = Math.floor(now.getTime() / 1000)
  const report = { sg_event_id: 'e1', event: 'spamreport', email: ADA.email, timestamp, delivery_id: deliveryId }
  await signedRequest(await webhookOf('mail'), bySendgrid([report], now))
}

/** Twilio passes on what Ada replied. */
async function reply(text: string) {
  const url = await webhookOf('text')
  const form = { MessageSid: 'SM9', SmsStatus: 'received', From: ADA.phone, To: SHOP, Body: text }
  await signedRequest(url, byTwilio(form, url))
}

test('one click in a mail client stops the emails of the workflow, and no other channel', async () => {
  expect(await next()).toEqual({ mail: 'SENT', text: 'SENT' })
  await post(linkOf(sendgrid.last), { 'List-Unsubscribe': 'One-Click' })
  expect(await next()).toEqual({ mail: 'SKIPPED subscriber_workflow_preference', text: 'SENT' })
  expect([sendgrid.received.length, twilio.received.length]).toEqual([1, 2])
})

test('an auditor reads what a person agreed to, in each way and when, until the person is erased', async () => {
  const choose = { subscriberId: 'ada', channels: [{ channel: 'SMS', enabled: true }] }
  await done(acme, 'updateSubscriberPreferences', choose)
  const browser = await browserOf(world, acme, 'ada')
  await done(browser, 'updateSubscriberPreferences', {
    ...choose,
    channels: [{ channel: 'EMAIL', enabled: true }],
  })
  await next()
  const link = linkOf(sendgrid.last)
  await post(link, { 'List-Unsubscribe': 'One-Click' })
  await post(link, { undo: 'yes' })
  await next()
  await reply('STOP')
  await complain()
  expect(await next()).toEqual({
    mail: expect.stringMatching(/^SKIPPED/),
    text: expect.stringMatching(/^SKIPPED/),
  })
  const { subscriber } = await acme.ask(`{ subscriber(subscriberId: "ada") { preferenceChanges {
    nodes { source scope channel enabled at delivery { id } }
  } } }`)
  const history = subscriber.preferenceChanges.nodes.toReversed()
  expect(
    history.map(({ source, scope, channel, enabled }) => `${source} ${scope} ${channel} ${enabled ? 'on' : 'off'}`),
  ).toEqual([
    'API ALL SMS on',
    'SESSION ALL EMAIL on',
    'ONE_CLICK WORKFLOW EMAIL off',
    'PREFERENCE_PAGE WORKFLOW EMAIL on',
    'SMS_KEYWORD ALL SMS off',
    'COMPLAINT WORKFLOW EMAIL off',
  ])
  const times = history.map(({ at }) => at)
  expect(times).toEqual(times.toSorted())
  expect(history.find(({ source }) => source === 'ONE_CLICK')?.delivery).toEqual({ id: expect.any(String) })

  await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
  await world.work()
  const { subscriber: erased } = await acme.ask('{ subscriber(subscriberId: "ada") { subscriberId } }')
  expect(erased).toBeNull()
  const environmentId = await environmentIdOf(acme)
  expect(await world.gateway.db.preferenceChange.count({ where: { environmentId } })).toBe(0)
})
