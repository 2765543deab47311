// WhatsApp Business: the request of a message, templates by overrides, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { Message } from '../../../src/engine/message.ts'
import { deliver, deliveryId, failureOf, toEndpoint } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const meta = useReceiver()

const send = (message: Partial<Message> = {}) =>
  deliver('whatsapp-business', {
    channel: 'chat',
    target: toEndpoint({ type: 'phone', phoneNumber: '+4915123456789' }),
    credentials: { apiToken: 'EAAG-secret', phoneNumberIdentification: '106540352242922', baseUrl: meta.url },
    ...message,
  })

const recipient = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '+4915123456789' }

describe('a message to WhatsApp', () => {
  test('is a text', async () => {
    meta.answer(200, { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] })
    expect(await send()).toMatchObject({ status: 200 })
    expect(meta.last).toMatchObject({
      method: 'POST',
      path: '/106540352242922/messages',
      headers: { authorization: 'Bearer EAAG-secret', 'idempotency-key': deliveryId },
    })
    expect(meta.last.json).toEqual({
      ...recipient,
      type: 'text',
      text: { body: 'Shipped\nYour order is on its way.', preview_url: false },
    })
  })

  test('is the template of an override, without the text', async () => {
    const template = { name: 'order_shipped', language: { code: 'en_US' } }
    await send({ overrides: [{ type: 'template', template }] })
    expect(meta.last.json).toEqual({ ...recipient, type: 'template', template })
  })

  test('has the text with what an override changes', async () => {
    await send({ overrides: [{ text: { preview_url: true } }] })
    expect(meta.last.json).toMatchObject({ type: 'text', text: { preview_url: true, body: expect.anything() } })
  })
})

describe('WhatsApp answers', () => {
  test.each<[number, number, FailureCause, boolean]>([
    [400, 130429, 'unavailable', false],
    [400, 131056, 'unavailable', false],
    [400, 80007, 'unavailable', false],
    [400, 4, 'unavailable', false],
    [400, 131000, 'unavailable', false],
    [500, 131016, 'unavailable', false],
    [503, 2, 'unavailable', false],
    [400, 131026, 'rejected', true],
    [400, 131047, 'rejected', true],
    [400, 132001, 'rejected', true],
    [400, 100, 'rejected', true],
    [401, 190, 'credentials_rejected', true],
    [401, 0, 'credentials_rejected', true],
    [403, 368, 'account_restricted', true],
    [403, 131031, 'account_restricted', true],
    [400, 131048, 'account_restricted', true],
  ])('%d with code %d: the cause is %s', async (status, code, failureCause, permanent) => {
    meta.answer(status, { error: { code, message: 'no EAAG-secret' } })
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ status, failureCause, permanent })
    expect(`${failure.message} ${String(failure.answer)}`).not.toContain('EAAG-secret')
  })
})
