// Integrations in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard.ts'

beforeAll(buildDashboard, 120_000)
const receiver = useReceiver()

test('someone removes one secret and replaces another, without knowing either', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'true' })
  const dialog = page.getByRole('dialog')
  await ask(
    `mutation ($credentials: JSONObject) {
      createIntegration(input: { providerId: GENERIC_SMS, identifier: "texts", credentials: $credentials }) {
        userErrors { message }
      }
    }`,
    { credentials: { webhookUrl: `${receiver.url}/old`, hmacSecretKey: 'signing-key', legacy: 'value' } },
  )
  await visit('/integrations/texts')
  await page.getByRole('row', { name: 'legacy Set' }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('checkbox', { name: 'Remove Signing key' }).check()
  await dialog.getByRole('checkbox', { name: 'Remove legacy' }).check()
  await dialog.getByLabel('Webhook URL').first().fill(`${receiver.url}/new`)
  await audit()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Signing key not set' }).waitFor()
  expect(await page.getByRole('row', { name: 'legacy' }).count()).toBe(0)

  await page.getByRole('button', { name: 'Send a test message' }).click()
  await dialog.getByRole('textbox', { name: 'Phone number' }).fill('+4915123456789')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('The provider accepted the message').waitFor()
  expect(receiver.last.path).toBe('/new')
  expect(receiver.last.headers).not.toHaveProperty('x-signature-256')
  await dialog.getByRole('combobox', { name: 'Send to' }).click()
  await page.getByRole('option', { name: 'Incoming webhook' }).click()
  await dialog.getByLabel('Webhook URL').first().fill(`${receiver.url}/endpoint`)
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => receiver.last.path).toBe('/endpoint')
})
