// Infobip: the request of a text message, and failures, many of which have the status 200.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import { deliver, deliveryId, failureOf, toPhone } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const infobip = useReceiver()

const credentials = (more: object = {}) => ({
  ...{ apiKey: 'ib-secret-key', from: 'Shop', baseUrl: `${infobip.url}/`, ...more },
})
const send = () => deliver('infobip-sms', { target: toPhone, credentials: credentials() })

const answer = (groupId: number, name: string) => ({
  messages: [{ messageId: '1', status: { groupId, groupName: 'GROUP', id: 1, name } }],
})

describe('a text message to Infobip', () => {
  test.each([
    [1, 'PENDING_ACCEPTED'],
    [3, 'DELIVERED_TO_HANDSET'],
  ])('is accepted with a status of group %d', async (groupId, name) => {
    infobip.answer(200, answer(groupId, name))
    expect(await send()).toMatchObject({ status: 200 })
    expect(infobip.last).toMatchObject({
      method: 'POST',
      path: '/sms/3/messages',
      headers: { authorization: 'App ib-secret-key', 'idempotency-key': deliveryId },
    })
    expect(infobip.last.json).toEqual({
      messages: [
        {
          sender: 'Shop',
          destinations: [{ to: '4915123456789' }],
          content: { text: 'Shipped\nYour order is on its way.' },
        },
      ],
    })
  })

  test('goes to the host of the account, as Infobip shows it', async () => {
    const names = { resolve: () => Promise.resolve([]), knows: () => true }
    const message = { target: toPhone, credentials: credentials({ baseUrl: 'xxxxx.api.infobip.com' }) }
    expect((await failureOf(deliver('infobip-sms', message, { names }))).message).toContain('xxxxx.api.infobip.com ')
    const none = deliver('infobip-sms', { ...message, credentials: credentials({ baseUrl: undefined }) }, { names })
    expect((await failureOf(none)).message).toContain('baseUrl is required')
  })
})

describe('Infobip answers', () => {
  test.each<[number, object, FailureCause, boolean]>([
    [200, answer(5, 'REJECTED_DESTINATION'), 'rejected', true],
    [200, answer(2, 'UNDELIVERABLE_NOT_DELIVERED'), 'rejected', true],
    [200, answer(4, 'EXPIRED_EXPIRED'), 'rejected', true],
    [200, answer(5, 'REJECTED_NOT_ENOUGH_CREDITS'), 'account_restricted', true],
    [200, answer(5, 'REJECTED_SENDER'), 'account_restricted', true],
    [400, { errorCode: 'E400' }, 'rejected', true],
    [401, { errorCode: 'E401' }, 'credentials_rejected', true],
    [403, { errorCode: 'E403' }, 'account_restricted', true],
    [429, { errorCode: 'E429' }, 'unavailable', false],
    [503, { errorCode: 'E503' }, 'unavailable', false],
  ])('%d %j: the cause is %s', async (status, body, failureCause, permanent) => {
    infobip.answer(status, { ...body, echo: 'ib-secret-key' })
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ status, failureCause, permanent })
    expect(`${failure.message} ${String(failure.answer)}`).not.toContain('ib-secret-key')
  })
})
