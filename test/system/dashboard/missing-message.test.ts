// Support with the dashboard: finds out why a message did not arrive, starting from a part of a phone number.
import type { Locator } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const DAY = 24 * 3_600_000

const setup = `mutation ($integration: CreateIntegrationInput!, $workflow: CreateWorkflowInput!) {
  ada: createSubscriber(input: {
    subscriberId: "ada", firstName: "Ada", lastName: "Byron", email: "ada@example.com", phone: "+4915123456789"
  }) { userErrors { message } }
  grace: createSubscriber(input: { subscriberId: "grace", email: "grace@example.com", phone: "+12025550123" }) {
    userErrors { message }
  }
  createIntegration(input: $integration) { userErrors { message } }
  createWorkflow(input: $workflow) { userErrors { message } }
  updateSubscriberPreferences(input: {
    subscriberId: "ada", workflowIdentifier: "order", channels: [{ channel: SMS, enabled: false }]
  }) { userErrors { message } }
}`

const orderFor = `mutation ($to: [RecipientInput!]!) {
  triggerEvent(input: { workflowIdentifier: "order", transactionId: "order-1", to: $to }) { userErrors { message } }
}`

test("someone finds a person by a part of the phone number, and in three clicks why yesterday's message did not arrive", async ({
  skip,
}) => {
  const { page, key, visit, ask } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'on' })
  await ask(setup, {
    integration: { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl: receiver.url } },
    workflow: {
      identifier: 'order',
      name: 'Order',
      steps: [{ email: { subject: 'Late', body: 'Sorry' } }, { sms: { body: 'Late' } }],
    },
  })
  receiver.answer(422, 'the inbox is full')
  await ask(orderFor, { to: [{ subscriber: { subscriberId: 'ada' } }, { subscriber: { subscriberId: 'grace' } }] })
  await visit('/events/order-1')
  await page.getByText('2 failed').waitFor()
  // The next day.
  await page.clock.setFixedTime(Date.now() + 1.5 * DAY)

  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  await visit('/subscribers')
  // By the clock of this device, the new session has expired, too.
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('searchbox', { name: /Search/ }).fill('1512345')
  await page.getByRole('link', { name: 'grace' }).waitFor({ state: 'detached' })
  await click(page.getByRole('link', { name: 'ada', exact: true }))
  await click(page.getByRole('tab', { name: 'Activity' }))
  const row = page.getByRole('row', { name: /order-1/ })
  await row.getByText('yesterday').waitFor()
  await click(row.getByRole('link', { name: 'order-1' }))

  const run = page.getByRole('region', { name: 'Run for ada' })
  await run.getByText('the inbox is full').first().waitFor()
  await run.getByText('turned off the SMS channel').waitFor()
  expect(await page.getByRole('region', { name: 'Run for grace' }).count()).toBe(0)
  expect(clicks).toBe(3)
})
