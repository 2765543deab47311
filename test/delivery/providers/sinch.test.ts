// Sinch: the request of a text message, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import { deliver, deliveryId, failureOf, toPhone } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const sinch = useReceiver()

const credentials = (more: object = {}) => ({
  ...{ servicePlanId: 'plan/1', apiToken: 'sinch-secret-token', from: '15550001', baseUrl: sinch.url, ...more },
})
const send = () => deliver('sinch', { target: toPhone, credentials: credentials() })

describe('a text message to Sinch', () => {
  test('is a batch of one', async () => {
    sinch.answer(201, { id: '01FC66621VHDBN119Z8PMV1QPQ' })
    expect(await send()).toMatchObject({ status: 201 })
    expect(sinch.last).toMatchObject({
      method: 'POST',
      path: '/xms/v1/plan%2F1/batches',
      headers: { authorization: 'Bearer sinch-secret-token', 'idempotency-key': deliveryId },
    })
    expect(sinch.last.json).toEqual({
      from: '15550001',
      to: ['+4915123456789'],
      body: 'Shipped\nYour order is on its way.',
    })
  })

  test.each([
    [undefined, 'eu.sms.api.sinch.com'],
    ['us', 'us.sms.api.sinch.com'],
  ])('goes to the region %s', async (region, host) => {
    const names = { resolve: () => Promise.resolve([]), knows: () => true }
    const message = { target: toPhone, credentials: credentials({ region, baseUrl: undefined }) }
    expect((await failureOf(deliver('sinch', message, { names }))).message).toContain(host)
  })
})

describe('Sinch answers', () => {
  test.each<[number, FailureCause, boolean]>([
    [400, 'rejected', true],
    [401, 'credentials_rejected', true],
    [403, 'account_restricted', true],
    [429, 'unavailable', false],
    [503, 'unavailable', false],
  ])('%d: the cause is %s', async (status, failureCause, permanent) => {
    sinch.answer(status, { code: 'syntax_invalid_parameter_format', text: 'no sinch-secret-token' })
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ status, failureCause, permanent })
    expect(`${failure.message} ${String(failure.answer)}`).not.toContain('sinch-secret-token')
  })
})
