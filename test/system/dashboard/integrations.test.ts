// Integrations in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)
const receiver = useReceiver()

test('someone sets up an integration, and its test message arrives', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'true' })
  const dialog = page.getByRole('dialog')
  await visit('/integrations')
  await page.getByRole('heading', { name: 'No integrations yet' }).waitFor()

  await page.getByRole('button', { name: 'Create integration' }).first().click()
  await dialog.getByRole('combobox', { name: 'Provider' }).fill('mailgun')
  await page.getByRole('option', { name: 'Mailgun' }).click()
  await dialog.getByRole('textbox', { name: 'Domain' }).waitFor()
  await audit()
  await dialog.getByRole('combobox', { name: 'Provider' }).fill('email web')
  await page.getByRole('option', { name: 'Email webhook' }).click()
  await dialog.getByLabel('Webhook URL').first().fill(`${receiver.url}/secret-path`)
  await dialog.getByRole('combobox', { name: 'Method' }).click()
  await page.getByRole('option', { name: 'PUT' }).click()
  await dialog.getByRole('textbox', { name: 'From' }).fill('news@example.com')
  await dialog.getByRole('textbox', { name: 'Identifier' }).fill('mail')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('row', { name: 'Webhook URL Set' }).waitFor()
  await page.getByRole('row', { name: 'From news@example.com' }).waitFor()
  expect(await page.content()).not.toContain('secret-path')

  await page.getByRole('button', { name: 'Send a test message' }).click()
  await dialog.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com')
  await dialog.getByRole('textbox', { name: 'Subject' }).fill('Do you read me?')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('The provider accepted the message').waitFor()
  await audit()
  expect(receiver.last).toMatchObject({ method: 'PUT', path: '/secret-path' })
  expect(receiver.last.body).toContain('Do you read me?')
  receiver.answer(402, { reason: 'the quota is used up' })
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('The message was not accepted').waitFor()
  await dialog.getByText('the quota is used up').waitFor()
  await dialog.getByText('Status 402').waitFor()
  await audit()
  await page.keyboard.press('Escape')

  receiver.answer(200)
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Letters')
  await dialog.getByRole('textbox', { name: 'From' }).fill('letters@example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Letters' }).waitFor()
  await page.getByRole('row', { name: 'From letters@example.com' }).waitFor()
  await page.getByRole('button', { name: 'Send a test message' }).click()
  await dialog.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('The provider accepted the message').waitFor()
  expect(receiver.last.json).toMatchObject({ from: 'letters@example.com' })
  expect(receiver.received).toHaveLength(3)
  await page.keyboard.press('Escape')

  await page.getByRole('switch', { name: 'Messages are sent through it' }).click({ force: true })
  await page.getByRole('switch', { name: 'Messages are sent through it', checked: false }).waitFor()
  await page.getByRole('link', { name: 'Integrations' }).first().click()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Inactive' }).click()
  await page.getByRole('link', { name: 'mail' }).waitFor()
  expect(page.url()).toContain('active=false')
  await page.getByRole('combobox', { name: 'Channel' }).click()
  await page.getByRole('option', { name: 'SMS' }).click()
  await page.getByRole('heading', { name: 'No integration matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear: Channel' }).click()
  await page.getByRole('link', { name: 'mail' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No integration' }).waitFor()
  expect(await ask('{ integrations { totalCount } }')).toEqual({ integrations: { totalCount: 0 } })
})

test('someone limits how fast an integration sends, and sees what waits', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'true' })
  await ask(
    'mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { userErrors { message } } }',
    {
      input: { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl: receiver.url } },
    },
  )
  const dialog = page.getByRole('dialog')
  await visit('/integrations/mail')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Rate limit' }).fill('0')
  await dialog.getByRole('combobox', { name: 'Interval of the rate limit' }).selectOption('per day')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/at least 1/).waitFor()
  await dialog.getByRole('textbox', { name: 'Rate limit' }).fill('1')
  await audit()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Rate limit 1 message per day' }).waitFor()
  await audit()

  await ask('mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }', {
    input: { identifier: 'news', name: 'News', steps: [{ email: { subject: 'News', body: 'Hello' } }] },
  })
  const to = [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }]
  for (const transactionId of ['first', 'second']) {
    await ask('mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }', {
      input: { workflowIdentifier: 'news', transactionId, to },
    })
  }
  await visit('/events/second')
  await page.getByText('Waits for the rate limit of the integration mail').first().waitFor()
  await audit()
  await visit('/integrations/mail')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Rate limit' }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Rate limit –' }).waitFor()
  await expect.poll(() => receiver.received.length).toBe(2)
})

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
  await ask(
    'mutation ($input: UpdateIntegrationInput!) { updateIntegration(input: $input) { userErrors { message } } }',
    { input: { currentIdentifier: 'texts', name: 'Texts' } },
  )
  await dialog.getByRole('button', { name: 'Save' }).click()
  const conflict = page.getByRole('dialog', { name: 'Somebody else saved meanwhile' })
  await conflict.getByText('"Webhook URL": "(a new value)"').waitFor()
  expect(await conflict.textContent()).not.toContain(receiver.url)
  await conflict.getByRole('button', { name: 'Overwrite with mine' }).click()
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
