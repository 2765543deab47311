// OneSignal: the request of a push notification, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import { deliver, deliveryId, failureOf } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const oneSignal = useReceiver()

const token = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const send = (more: object = {}) =>
  deliver('one-signal', {
    target: { kind: 'device', token },
    credentials: { applicationId: 'app-1', apiKey: 'os_v2_app_secret', baseUrl: oneSignal.url, ...more },
  })

const message = {
  app_id: 'app-1',
  headings: { en: 'Shipped' },
  contents: { en: 'Your order is on its way.' },
  data: { total: 120 },
  idempotency_key: deliveryId,
}

describe('a message to OneSignal', () => {
  test('goes to a push subscription', async () => {
    oneSignal.answer(200, { id: '1' })
    expect(await send()).toEqual({ status: 200, answer: '{"id":"1"}' })
    expect(oneSignal.last).toMatchObject({
      method: 'POST',
      path: '/notifications?c=push',
      headers: { authorization: 'Key os_v2_app_secret', 'idempotency-key': deliveryId },
    })
    expect(oneSignal.last.json).toEqual({ ...message, include_subscription_ids: [token] })
  })

  test('goes to a user by the external ID', async () => {
    oneSignal.answer(200, { id: '1' })
    await send({ apiVersion: 'externalId' })
    const target = { include_aliases: { external_id: [token] }, target_channel: 'push' }
    expect(oneSignal.last.json).toEqual({ ...message, ...target })
  })
})

describe('OneSignal answers', () => {
  const notSubscribed = { id: '', errors: ['All included players are not subscribed'] }

  test.each<[number, object, FailureCause, boolean]>([
    [200, notSubscribed, 'rejected', true],
    [200, { id: '', errors: { invalid_player_ids: [token] } }, 'device_unregistered', true],
    [200, { id: '1', errors: { invalid_player_ids: [token] } }, 'device_unregistered', true],
    [200, { errors: { invalid_aliases: { external_id: [token] } } }, 'rejected', true],
    [200, { id: '', errors: {} }, 'rejected', true],
    [400, { errors: ['Message Notifications must have English language content'] }, 'rejected', true],
    [401, { errors: ['Access denied.'] }, 'credentials_rejected', true],
    [403, { errors: ['Access denied.'] }, 'account_restricted', true],
    [429, { errors: ['API rate limit exceeded'] }, 'unavailable', false],
    [503, notSubscribed, 'unavailable', false],
  ])('%d %j: the cause is %s', async (status, answer, failureCause, permanent) => {
    oneSignal.answer(status, answer)
    expect(await failureOf(send())).toMatchObject({ status, failureCause, permanent })
  })

  test('that some other ID is invalid, which is no failure', async () => {
    oneSignal.answer(200, { id: '1', errors: { invalid_player_ids: ['other'] } })
    expect(await send()).toMatchObject({ status: 200 })
  })

  test('never with a secret in the error or the answer', async () => {
    oneSignal.answer(200, { id: '', errors: [`${token} of os_v2_app_secret is not subscribed`] })
    const { message: text, answer } = await failureOf(send())
    expect(text).toBe(`127.0.0.1:${oneSignal.port} rejected the message: *** of *** is not subscribed`)
    expect(answer).toBe('{"id":"","errors":["*** of *** is not subscribed"]}')
  })
})
