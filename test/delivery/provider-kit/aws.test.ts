// Signature Version 4, with the published test vectors (aws-sig-v4-test-suite), and the codes of errors.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { awsSigner } from '../../../src/delivery/provider-kit/aws.ts'

const account = {
  apiKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a request to AWS is signed as the test vector', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  test.each([
    [
      'post-vanilla',
      '/',
      {},
      '',
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-vanilla-query',
      '/?Param1=value1',
      {},
      '',
      'host;x-amz-date',
      '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
    ],
    [
      'post-x-www-form-urlencoded',
      '/',
      form,
      'Param1=value1',
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s', async (_name, path, headers, body, signedHeaders, signature) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2015-08-30T12:36:00Z') })
    const unsigned = { ...headers, 'idempotency-key': 'not covered' }
    const url = `https://example.amazonaws.com${path}`
    expect(await awsSigner(account, 'service')({ method: 'POST', url, headers: unsigned, body })).toEqual({
      ...unsigned,
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    })
  })
})

test('a body in pieces is signed by its hash', async () => {
  const pieces = ['Param1=', 'value1'].map((part) => Buffer.from(part))
  const body = { size: 13, pieces: () => pieces }
  const signed = await awsSigner(account, 'service')({ method: 'POST', url: 'https://example.com/', headers: {}, body })
  expect(signed).toMatchObject({
    'x-amz-content-sha256': '9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e',
    authorization: expect.stringContaining('SignedHeaders=host;x-amz-content-sha256;x-amz-date,'),
  })
})
