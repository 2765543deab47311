// SendGrid: the settings that only some accounts need.
import { expect, test } from 'vitest'
import { deliver, failureOf, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const sendgrid = useReceiver()
const credentials = (more: object) => ({ apiKey: 'SG.key', from: 'shop@example.com', baseUrl: sendgrid.url, ...more })

test.each([
  [undefined, 'api.sendgrid.com'],
  ['', 'api.sendgrid.com'],
  ['eu', 'api.eu.sendgrid.com'],
])('an email to SendGrid goes to the region %s', async (region, host) => {
  const names = { resolve: () => Promise.resolve([]), knows: () => true }
  const message = { target: toEmail, credentials: credentials({ region, baseUrl: undefined }) }
  expect((await failureOf(deliver('sendgrid', message, { names }))).message).toContain(`${host} `)
})

test('an email to SendGrid names the IP pool', async () => {
  await deliver('sendgrid', { target: toEmail, credentials: credentials({ ipPoolName: 'main' }) })
  expect(sendgrid.last.json).toMatchObject({ ip_pool_name: 'main' })
})
