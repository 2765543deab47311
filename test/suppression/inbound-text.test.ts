// Replies by SMS: STOP, START and HELP, from the provider's request to the next message.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { subscribe } from '../support/delivery/webhooks.ts'
import { byTelnyx, byTwilio, telnyxKey, twilioToken } from '../support/reports/signed.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example.com' })
const receiver = useReceiver()
let acme: Client
let url: string
let sids = 0

const ADA = '+4915123456789'
const sms = { sms: { stepId: 'text', body: 'Hello' } }

async function twilio(identifier: string, from: string): Promise<string> {
  const credentials = { accountSid: 'AC', token: twilioToken, from, baseUrl: receiver.url }
  await createIntegration(acme, 'TWILIO', '', { identifier, credentials })
  const { integration } = await acme.ask<{ integration: { inboundWebhook: { url: string } } }>(
    'query ($id: String!) { integration(identifier: $id) { inboundWebhook { url } } }',
    { id: identifier },
  )
  return integration.inboundWebhook.url
}

beforeEach(async () => {
  acme = await world.environment()
  receiver.answer(201, { sid: 'SM1' })
  url = await twilio('text', '+15550001')
  await done(acme, 'createSubscriber', { subscriberId: 'ada', phone: ADA })
  await createWorkflow(acme, [sms])
})
afterEach(() => world.setClock(undefined))

/** Posts a text from Ada, as Twilio does. @returns the status. */
async function reply(text: string, more: Readonly<Record<string, string>> = {}): Promise<number> {
  sids += 1
  const form = { MessageSid: `SM${sids}`, SmsStatus: 'received', From: ADA, To: '+15550001', Body: text, ...more }
  const { body, headers } = byTwilio(form, url)
  const response = await world.app.fetch(new Request(url, { method: 'POST', body, headers: { ...headers } }))
  return response.status
}

async function outcomeOf(more: object = {}) {
  const transactionId = await trigger(acme, more)
  await world.work()
  return (await outcomes(acme, transactionId))['text']
}

const sentTexts = () => receiver.received.map(({ body }) => new URLSearchParams(body).get('Body'))

async function texts(filter: object = {}) {
  const { inboundTexts } = await acme.ask(
    'query ($filter: InboundTextFilter) { inboundTexts(filter: $filter) { nodes { from to text keyword integration { identifier } } } }',
    { filter },
  )
  return inboundTexts.nodes
}

async function suppressed() {
  const { suppressions } = await acme.ask(
    '{ suppressions { nodes { reason address detail integration { identifier } } } }',
  )
  return suppressions.nodes
}

async function changes(subscriberId: string) {
  const { subscriber } = await acme.ask<{
    subscriber: { preferenceChanges: { nodes: readonly { source: string; enabled: boolean | null }[] } }
  }>(
    'query ($id: String!) { subscriber(subscriberId: $id) { preferenceChanges { nodes { source channel enabled } } } }',
    { id: subscriberId },
  )
  return subscriber.preferenceChanges.nodes
}

describe('STOP', () => {
  test.each([
    ['STOP'],
    [' stop '],
    ['Stop  All'],
    ['stopall'],
    ['Unsubscribe'],
    ['CANCEL'],
    ['End'],
    ['quit'],
    ['REVOKE'],
    ['optout'],
    ['Opt-Out'],
  ])('as %j stops the next message', async (word) => {
    expect(await outcomeOf()).toBe('SENT')
    expect(await reply(word)).toBe(204)
    expect(await outcomeOf()).toMatch(/^SKIPPED/)
    expect(await suppressed()).toMatchObject([
      { reason: 'SMS_KEYWORD', address: ADA, integration: { identifier: 'text' } },
    ])
    expect(await changes('ada')).toMatchObject([{ source: 'SMS_KEYWORD', channel: 'SMS', enabled: false }])
  })

  test.each([['Stop texting me'], ['please stop'], ['stop!'], [''], ['STOP ME']])('is not %j', async (text) => {
    expect(await reply(text)).toBe(204)
    expect(await suppressed()).toEqual([])
    expect(await outcomeOf()).toBe('SENT')
    expect(await texts()).toMatchObject([{ from: ADA, to: '+15550001', text, keyword: null }])
  })

  test('of a family phone stops everyone with the number, and START restores everyone', async () => {
    await done(acme, 'createSubscriber', { subscriberId: 'ben', phone: ADA })
    await done(acme, 'createSubscriber', { subscriberId: 'eve', phone: '+4915100000000' })
    await reply('STOP')
    for (const to of ['ada', 'ben']) {
      const transactionId = await trigger(acme, { to })
      await world.work()
      const { event } = await acme.ask(
        'query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { status } } } } }',
        { id: transactionId },
      )
      expect(event.runs.nodes).toMatchObject([{ steps: [{ status: 'SKIPPED' }] }])
      expect(await changes(to)).toMatchObject([{ source: 'SMS_KEYWORD', enabled: false }])
    }
    expect(await changes('eve')).toEqual([])
    await reply('start')
    expect(await suppressed()).toEqual([])
    for (const to of ['ada', 'ben']) expect(await changes(to)).toHaveLength(2)
    expect(await outcomeOf()).toBe('SENT')
  })

  test('stops only the sender that it was sent to, and is stored once', async () => {
    const again = { MessageSid: 'SMsame' }
    await reply('STOP', again)
    await reply('START', again)
    expect(await suppressed()).toHaveLength(1)
    expect(await texts()).toHaveLength(1)
  })

  test('is confirmed once, unless the provider has answered', async () => {
    const replies = { stopText: 'No more messages.', startText: 'Welcome back.', helpText: 'acme.example.com/help' }
    await done(acme, 'setTextReplies', { integrationIdentifier: 'text', ...replies })
    await reply('STOP', { MessageSid: 'SMa' })
    await reply('STOP', { MessageSid: 'SMa' })
    expect(sentTexts()).toEqual(['No more messages.'])
    await reply('START')
    await reply('INFO')
    expect(sentTexts()).toEqual(['No more messages.', 'Welcome back.', 'acme.example.com/help'])
    await reply('STOP', { OptOutType: 'STOP' })
    await reply('help', { OptOutType: 'HELP' })
    expect(sentTexts()).toHaveLength(3)
    expect(await suppressed()).toHaveLength(1)
  })

  test('does not remove a suppression for another reason', async () => {
    await done(acme, 'createSuppression', { channel: 'SMS', address: ADA })
    await reply('STOP')
    await reply('START')
    expect(await suppressed()).toMatchObject([{ reason: 'MANUAL' }])
  })
})

describe('START', () => {
  test.each([['START'], [' Yes '], ['unstop']])('as %j allows messages again', async (word) => {
    await reply('STOP')
    expect(await outcomeOf()).toMatch(/^SKIPPED/)
    expect(await reply(word)).toBe(204)
    expect(await suppressed()).toEqual([])
    expect(await outcomeOf()).toBe('SENT')
    expect(await texts()).toMatchObject([{ keyword: 'START' }, { keyword: 'STOP' }])
  })
})

describe('HELP', () => {
  test.each([['Help'], [' INFO ']])(
    'as %j is answered with the text of the integration, and with nothing by default',
    async (word) => {
      await reply(word)
      expect(sentTexts()).toEqual([])
      await done(acme, 'setTextReplies', { integrationIdentifier: 'text', helpText: 'acme.example.com/help' })
      await reply(word)
      expect(sentTexts()).toEqual(['acme.example.com/help'])
      expect([await suppressed(), await changes('ada')]).toEqual([[], []])
    },
  )
})

describe('further keywords', () => {
  const set = (input: object) =>
    acme.act(
      'setTextReplies',
      { integrationIdentifier: 'text', ...input },
      'textReplies { stopWords startWords stopText }',
    )

  test('are words of the integration', async () => {
    expect((await set({ stopWords: ['Abmelden'], startWords: [' Los '] })).textReplies).toEqual({
      ...{ stopWords: ['abmelden'], startWords: ['los'], stopText: null },
    })
    await reply('ABMELDEN')
    expect(await suppressed()).toHaveLength(1)
    await reply('los')
    expect(await suppressed()).toEqual([])
  })

  test.each([
    [{ startWords: ['stop'] }, 'startWords[0] must not be a word that stops messages'],
    [{ stopWords: [''] }, 'stopWords[0] must'],
    [{ stopWords: Array.from({ length: 21 }, (_, index) => `w${index}`) }, 'stopWords must'],
    [{ helpText: 'x'.repeat(1601) }, 'helpText must'],
    [{ integrationIdentifier: 'none' }, 'Integration "none" not found'],
  ])('are rejected: %j', async (input, message) => {
    const { userErrors } = await set(input)
    expect(userErrors[0]).toMatchObject({ message: expect.stringContaining(message) })
  })

  test('are those of text messages only', async () => {
    await createIntegration(acme, 'SENDGRID', '', { identifier: 'mail' })
    expect((await set({ integrationIdentifier: 'mail', helpText: 'Help' })).userErrors).toMatchObject([
      { message: 'integrationIdentifier must be an integration of the channel sms' },
    ])
  })
})

describe('a text', () => {
  test('has a webhook message unless it is a keyword, with the words for subscriptions with content', async () => {
    const [thin, whole] = [
      await subscribe(acme, receiver, { identifier: 'thin', eventTypes: ['TEXT_RECEIVED'] }),
      await subscribe(acme, receiver, { identifier: 'whole', eventTypes: ['TEXT_RECEIVED'], includeContent: true }),
    ]
    await reply('Where is my order?')
    await reply('STOP')
    await world.work()
    expect(thin.messages()).toMatchObject([
      { type: 'text.received', data: { integrationIdentifier: 'text', providerId: 'twilio', channel: 'sms' } },
    ])
    expect(thin.messages()[0]?.data).not.toHaveProperty('content')
    expect(whole.messages()).toMatchObject([
      { data: { content: { from: ADA, to: '+15550001', body: 'Where is my order?' } } },
    ])
    const { body } = await acme.rest('GET /v2/inbound-texts')
    expect(body.data).toContainEqual(
      expect.objectContaining({ _id: thin.messages()[0]?.data['inboundTextId'], text: 'Where is my order?' }),
    )
  })

  test('with a wrong signature is rejected, and nothing is stored', async () => {
    const { body, headers } = byTwilio(
      { MessageSid: 'SM', SmsStatus: 'received', From: ADA, To: '+1', Body: 'STOP' },
      url,
    )
    const changed = body.replace('STOP', 'STOPALL')
    const response = await world.app.fetch(new Request(url, { method: 'POST', body: changed, headers: { ...headers } }))
    expect(response.status).toBe(401)
    expect([await texts(), await suppressed()]).toEqual([[], []])
  })

  test('is listed by number and integration, in both doors', async () => {
    await reply('Where is my order?')
    await reply('Hello', { From: '+4915100000009' })
    expect(await texts({ from: '0049 151 23456789' })).toMatchObject([{ text: 'Where is my order?' }])
    expect(await texts({ integrationIdentifier: 'other' })).toEqual([])
    const { body } = await acme.rest('GET /v2/inbound-texts?integrationIdentifier=text')
    expect(body.data).toHaveLength(2)
  })
})

describe('Telnyx', () => {
  const received = (text: string, more: object = {}) =>
    byTelnyx(
      {
        data: {
          event_type: 'message.received',
          id: 'bf6307bd-884d-4c1f-b6ea-c62b8c495d3c',
          occurred_at: '2026-11-27T08:00:00.000+00:00',
          payload: {
            id: '7ee4241c-f127-47e5-9c34-3aac291f8058',
            direction: 'inbound',
            from: { carrier: 'T-MOBILE', line_type: 'Wireless', phone_number: ADA },
            to: [{ carrier: 'TELNYX LLC', line_type: 'VoIP', phone_number: '+15550002', status: 'delivered' }],
            text,
            type: 'SMS',
            ...more,
          },
          record_type: 'event',
        },
      },
      world.gateway.now(),
    )

  test.each([
    ['answers STOP for us', { autoresponse_type: 'STOP' }, []],
    ['leaves the answer to us', { autoresponse_type: null }, ['Stopped']],
  ])('reports STOP, and %s', async (_story, more, answers) => {
    const credentials = { apiKey: 'KEY', from: '+15550002', webhookSigningKey: telnyxKey, baseUrl: receiver.url }
    await createIntegration(acme, 'TELNYX', '', { identifier: 'telnyx', credentials })
    await acme.act('setTextReplies', { integrationIdentifier: 'telnyx', stopText: 'Stopped' })
    const { integration } = await acme.ask('{ integration(identifier: "telnyx") { inboundWebhook { url } } }')
    const { body, headers } = received('Stop', more)
    const request = { method: 'POST', body, headers: { ...headers } }
    const before = receiver.received.length
    const response = await world.app.fetch(new Request(integration.inboundWebhook.url ?? '', request))
    expect(response.status).toBe(204)
    expect(await suppressed()).toMatchObject([{ reason: 'SMS_KEYWORD', address: ADA }])
    expect(receiver.received.slice(before).map(({ body: sent }) => JSON.parse(sent).text)).toEqual(answers)
  })
})
