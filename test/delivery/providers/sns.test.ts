// Amazon SNS: the request of a text message, its signature, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import { deliver, deliveryId, failureOf, toEndpoint, toPhone } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const aws = useReceiver()

const credentials = (more: object = {}) => ({
  ...{ apiKey: 'AKIDEXAMPLE', secretKey: 'sns-secret-key', region: 'us-west-2', baseUrl: `${aws.url}/`, ...more },
})
const send = (more: object = {}) => deliver('sns', { target: toPhone, credentials: credentials(more) })
const form = () => Object.fromEntries(new URLSearchParams(aws.last.body))

const accepted = '<PublishResponse><PublishResult><MessageId>567910cd</MessageId></PublishResult></PublishResponse>'
const error = (code: string) =>
  `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${code}</Code><Message>no sns-secret-key</Message></Error></ErrorResponse>`

const published = {
  ...{ Action: 'Publish', Version: '2010-03-31', Message: 'Shipped\nYour order is on its way.' },
  'MessageAttributes.entry.1.Name': 'AWS.SNS.SMS.SMSType',
  'MessageAttributes.entry.1.Value.DataType': 'String',
  'MessageAttributes.entry.1.Value.StringValue': 'Transactional',
}

describe('a text message to SNS', () => {
  test('is a signed form', async () => {
    aws.answer(200, accepted)
    expect(await send()).toEqual({ status: 200, answer: accepted })
    expect(aws.last).toMatchObject({
      method: 'POST',
      path: '/',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': deliveryId,
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-west-2\/sns\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[\da-f]{64}$/,
        ),
      },
    })
    expect(form()).toEqual({ ...published, PhoneNumber: '+4915123456789' })
  })

  test('names its sender, and goes to an endpoint', async () => {
    const target = toEndpoint({ type: 'phone', phoneNumber: '+4930123456' })
    await deliver('sns', { target, credentials: credentials({ from: 'Shop' }) })
    expect(form()).toEqual({
      ...published,
      PhoneNumber: '+4930123456',
      'MessageAttributes.entry.2.Name': 'AWS.SNS.SMS.SenderID',
      'MessageAttributes.entry.2.Value.DataType': 'String',
      'MessageAttributes.entry.2.Value.StringValue': 'Shop',
    })
  })
})

describe('SNS answers', () => {
  test.each<[number, string, FailureCause, boolean]>([
    [429, 'Throttled', 'unavailable', false],
    [400, 'KMSThrottling', 'unavailable', false],
    [400, 'ThrottlingException', 'unavailable', false],
    [500, 'InternalError', 'unavailable', false],
    [400, 'OptedOut', 'suppressed', true],
    [400, 'InvalidParameter', 'rejected', true],
    [400, 'ParameterValueInvalid', 'rejected', true],
    [403, 'AuthorizationError', 'account_restricted', true],
    [403, 'InvalidSecurity', 'credentials_rejected', true],
    [403, 'InvalidClientTokenId', 'credentials_rejected', true],
    [403, 'SignatureDoesNotMatch', 'credentials_rejected', true],
  ])('%d %s: the cause is %s', async (status, code, failureCause, permanent) => {
    aws.answer(status, error(code))
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ status, failureCause, permanent })
    expect(`${failure.message} ${String(failure.answer)}`).not.toContain('sns-secret-key')
  })
})
