// Amazon SES by its API: the request, its signature, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { Message } from '../../../src/engine/message.ts'
import { deliver, deliveryId, failureOf, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const aws = useReceiver()

const credentials = (more: object = {}) => ({
  ...{ apiKey: 'AKIDEXAMPLE', secretKey: 'ses-secret-key', region: 'eu-central-1', from: 'shop@example.com' },
  ...{ baseUrl: aws.url, ...more },
})
const content = { subject: 'Shipped', body: '<p>On its way.</p>' }

const send = (message: Partial<Message> = {}, more: object = {}) =>
  deliver('ses', { target: toEmail, content, credentials: credentials(more), ...message })

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })

describe('an email to SES', () => {
  test('is a signed request', async () => {
    aws.answer(200, { MessageId: '0100018f-ses' })
    expect(await send()).toMatchObject({ status: 200, providerMessageId: '0100018f-ses' })
    expect(aws.last).toMatchObject({
      method: 'POST',
      path: '/v2/email/outbound-emails',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': deliveryId,
        'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[\da-f]{64}$/,
        ),
      },
    })
    expect(aws.last.json).toEqual({
      FromEmailAddress: 'shop@example.com',
      Destination: { ToAddresses: ['ada@example.com'] },
      Content: {
        Simple: { Subject: utf8('Shipped'), Body: { Text: utf8('On its way.'), Html: utf8('<p>On its way.</p>') } },
      },
    })
  })

  test('has every field of an email step, in ASCII where SES requires it', async () => {
    const name = { name: 'Grüße, "Shop"', address: 'orders@example.org' }
    const email = {
      ...{ from: name, replyTo: [{ name: '', address: 'help@example.org' }] },
      cc: [{ name: 'Bob', address: 'bob@example.org' }],
      bcc: [{ name: '', address: 'audit@example.org' }],
      headers: [{ name: 'X-Order', value: 'größer' }],
    }
    await send({ content: { ...content, email } }, { configurationSetName: 'shop' })
    expect(aws.last.json).toMatchObject({
      FromEmailAddress: '=?UTF-8?B?R3LDvMOfZSwgIlNob3Ai?= <orders@example.org>',
      Destination: {
        ToAddresses: ['ada@example.com'],
        CcAddresses: ['"Bob" <bob@example.org>'],
        BccAddresses: ['audit@example.org'],
      },
      ReplyToAddresses: ['help@example.org'],
      Content: { Simple: { Headers: [{ Name: 'X-Order', Value: '=?UTF-8?B?Z3LDtsOfZXI=?=' }] } },
      ConfigurationSetName: 'shop',
    })
    expect(aws.last.json).not.toHaveProperty('EmailTags')
  })

  test('has files, whose hash is signed', async () => {
    const bytes = Buffer.from('%PDF-1.7')
    await send({
      files: [
        { name: 'invoice.pdf', contentType: 'application/pdf', bytes },
        { name: 'logo.png', contentType: 'image/png', bytes, contentId: 'logo', inline: true },
      ],
    })
    const file = { ContentTransferEncoding: 'BASE64', RawContent: bytes.toString('base64') }
    expect(aws.last.json).toMatchObject({
      Content: {
        Simple: {
          Attachments: [
            { ...file, FileName: 'invoice.pdf', ContentType: 'application/pdf', ContentDisposition: 'ATTACHMENT' },
            {
              ...{ ...file, FileName: 'logo.png', ContentType: 'image/png' },
              ...{ ContentDisposition: 'INLINE', ContentId: 'logo' },
            },
          ],
        },
      },
    })
    expect(aws.last.headers).toMatchObject({
      'x-amz-content-sha256': expect.stringMatching(/^[\da-f]{64}$/),
      authorization: expect.stringContaining('SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date,'),
    })
  })

  test('names its delivery if the integration receives reports', async () => {
    await send({}, { sesTopicArn: 'arn:aws:sns:eu-central-1:123456789012:mail' })
    expect(aws.last.json).toMatchObject({ EmailTags: [{ Name: 'delivery_id', Value: deliveryId }] })
  })

  test('is signed with the changes of an override', async () => {
    const override = { ListManagementOptions: { ContactListName: 'news' }, _passthrough: { headers: { 'x-own': '1' } } }
    await send({ overrides: [override] })
    expect(aws.last.json).toMatchObject({ ListManagementOptions: { ContactListName: 'news' } })
    expect(aws.last.headers).toMatchObject({ 'x-own': '1', authorization: expect.stringContaining('Signature=') })
  })

  test('goes to the region of the integration', async () => {
    const names = { resolve: () => Promise.resolve([]), knows: () => true }
    const message = { target: toEmail, content, credentials: credentials({ baseUrl: undefined }) }
    expect((await failureOf(deliver('ses', message, { names }))).message).toContain('email.eu-central-1.amazonaws.com')
    expect((await failureOf(send({}, { region: 'evil.example/' }))).message).toContain('region must be the code')
  })
})

describe('SES answers', () => {
  test.each<[number, string, string, FailureCause, boolean]>([
    [400, 'LimitExceededException', 'Maximum sending rate exceeded.', 'unavailable', false],
    [400, 'SendingPausedException', 'Sending is paused.', 'unavailable', false],
    [400, 'ThrottlingException', 'Rate exceeded', 'unavailable', false],
    [429, 'TooManyRequestsException', 'Too many requests', 'unavailable', false],
    [503, 'ServiceUnavailable', 'Try later', 'unavailable', false],
    [400, 'MessageRejected', 'The message has an invalid file.', 'rejected', true],
    [400, 'MessageRejected', 'Email address is not verified.', 'account_restricted', true],
    [400, 'BadRequestException', 'Illegal address', 'rejected', true],
    [400, 'AccountSuspendedException', 'Suspended', 'account_restricted', true],
    [400, 'MailFromDomainNotVerifiedException', 'Not verified', 'account_restricted', true],
    [404, 'NotFoundException', 'Configuration set <shop> does not exist.', 'account_restricted', true],
    [403, 'SignatureDoesNotMatch', 'The signature does not match.', 'credentials_rejected', true],
    [403, 'UnrecognizedClientException', 'The security token is invalid.', 'credentials_rejected', true],
    [403, 'AccessDeniedException', 'Not authorized to perform ses:SendEmail', 'account_restricted', true],
  ])('%d %s, %s: the cause is %s', async (status, type, message, failureCause, permanent) => {
    // Some services add the address of their documentation, and some name the type in the body.
    const given: { headers: Record<string, string>; body: object }[] = [
      { headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/doc/` }, body: { message } },
      { headers: {}, body: { __type: `com.amazonaws.sesv2#${type}`, message } },
    ]
    for (const { headers, body } of given) {
      aws.answer(status, body, headers)
      expect(await failureOf(send())).toMatchObject({ status, failureCause, permanent })
    }
  })

  test('never with a secret in the error or the answer', async () => {
    aws.answer(403, { message: 'no ses-secret-key of AKIDEXAMPLE' }, { 'x-amzn-errortype': 'SignatureDoesNotMatch' })
    const { message, answer } = await failureOf(send())
    expect(answer).toBe('{"message":"no *** of ***"}')
    expect(message).toBe(`127.0.0.1:${aws.port} responded with 403: SignatureDoesNotMatch`)
  })
})
