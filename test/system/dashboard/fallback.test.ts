// Fallback integrations and circuits in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)
const down = useReceiver()
const second = useReceiver()

test.for([1440, 390])(
  'at %i pixels, someone adds a fallback, and sees why messages went to it while a provider is down',
  { timeout: 120_000 },
  async (width, { skip }) => {
    const { page, visit, ask, audit } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'true' })
    const dialog = page.getByRole('dialog')
    await page.setViewportSize({ width, height: 900 })
    down.answer(503, 'down for maintenance')
    await ask(
      'mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { userErrors { message } } }',
      {
        input: {
          ...{ identifier: 'first', providerId: 'EMAIL_WEBHOOK', primary: true },
          credentials: { webhookUrl: down.url },
        },
      },
    )
    await visit('/integrations')
    await page.getByRole('button', { name: 'Create integration' }).first().click()
    const choose = async (name: string) => {
      await dialog.getByRole('combobox', { name: 'Provider' }).fill(name)
      await page.getByRole('option', { name, exact: true }).click()
    }
    await choose('Slack')
    await dialog.getByRole('switch', { name: 'Primary' }).waitFor()
    expect(await dialog.getByRole('switch', { name: 'Fallback' }).count()).toBe(0)
    await choose('Email webhook')
    await dialog.getByRole('textbox', { name: 'Identifier' }).fill('second')
    await dialog.getByLabel('Webhook URL').first().fill(second.url)
    await dialog.getByRole('switch', { name: 'Fallback' }).check({ force: true })
    await audit()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('switch', { name: 'Used if the other integrations cannot send', checked: true }).waitFor()

    await ask('mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }', {
      input: { identifier: 'news', name: 'News', steps: [{ email: { subject: 'News', body: 'Hello' } }] },
    })
    const to = Array.from({ length: 6 }, (_, index) => ({
      subscriber: { subscriberId: `reader-${index}`, email: `reader-${index}@example.com` },
    }))
    await ask('mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }', {
      input: { workflowIdentifier: 'news', transactionId: 'spring', to },
    })
    await expect.poll(() => second.received.length, { timeout: 60_000 }).toBe(6)
    await visit('/integrations/first')
    await page.getByRole('row', { name: /^Circuit Open since .*next probe/ }).waitFor()
    await audit()

    // One of those that were tried before the circuit opened.
    const attempted = down.received[0]?.json as { readonly to: string }
    await visit(`/events/spring?recipient=${attempted.to.replace('@example.com', '')}`)
    const message = page.getByRole('region', { name: `Message to ${attempted.to}` })
    await message.getByText('first was left, because its provider was down.').waitFor()
    const attempts = message.getByRole('list', { name: 'Attempts' }).getByRole('listitem')
    await attempts.filter({ hasText: 'Attempt 1 through first' }).getByText('503').first().waitFor()
    await attempts.filter({ hasText: 'Attempt 2 through second' }).getByText('Accepted by the provider').waitFor()
    await audit()
  },
)
