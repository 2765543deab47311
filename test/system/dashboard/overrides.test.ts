// Overrides of a trigger in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)
const receiver = useReceiver()

test('someone overrides fields of one trigger, and sees what they changed and which changed nothing', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'true' })
  await ask(
    `mutation ($credentials: JSONObject) {
      createSubscriber(input: { subscriberId: "ada", email: "ada@example.com" }) { userErrors { message } }
      createIntegration(input: { identifier: "mail", providerId: EMAIL_WEBHOOK, credentials: $credentials }) {
        userErrors { message }
      }
      createWorkflow(input: {
        identifier: "news", name: "News", steps: [{ email: { subject: "News", body: "Hello" } }]
      }) { userErrors { message } }
    }`,
    { credentials: { webhookUrl: receiver.url } },
  )
  await visit('/workflows/news')
  await page.getByRole('button', { name: 'Trigger', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Subscribers' }).fill('ada')
  await page.getByRole('option', { name: /ada/ }).click()
  await page.keyboard.press('Escape')
  const overrides = dialog.getByRole('textbox', { name: 'Overrides' })
  expect(await overrides.count()).toBe(0)
  await dialog.getByRole('button', { name: 'Add overrides' }).click()
  const send = dialog.getByRole('button', { name: 'Trigger for real' })
  await overrides.fill('{ "email": ')
  await send.click()
  await dialog.getByText('Enter a JSON object').waitFor()
  // The gateway refuses it at the field.
  await overrides.fill('{ "email-webhook": { "_passthrough": { "headers": { "Authorization": "Bearer x" } } } }')
  await send.click()
  const error = dialog.locator('[id$="-error"]')
  await error.getByText('Authorization').waitFor()
  await audit()
  await overrides.fill('{ "email-webhook": { "campaign": "spring" }, "sms": { "from": "Shop" } }')
  await send.click()
  await dialog.getByRole('link', { name: 'Open the event' }).click()
  await page.getByRole('note').filter({ hasText: 'sms' }).first().waitFor()
  const message = page.getByRole('region', { name: 'Message to ada@example.com' })
  await message.getByRole('button', { name: 'Show overrides' }).click()
  await message.getByRole('region', { name: 'Overrides of the message' }).getByText('"campaign": "spring"').waitFor()
  await audit()
  await expect.poll(() => receiver.last.json).toMatchObject({ campaign: 'spring' })
})
