// The home page of the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const act = (mutation: string, type: string) =>
  `mutation ($input: ${type}!) { ${mutation}(input: $input) { userErrors { message } } }`

/** Two weeks of events are about ten thousand statements. */
const LONG = 600_000

test('one button creates example data and opens it, at 1440 and 390 pixels', { timeout: LONG }, async ({ skip }) => {
  const { page, audit } = await openStory(skip)
  const auditAtBothWidths = async () => {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      await audit()
    }
  }
  const create = page.getByRole('button', { name: 'Create example data' })
  await create.waitFor()
  await auditAtBothWidths()
  const done = await measureStory(page, 'example data by one button')
  await create.click()
  await page.getByRole('banner').getByRole('button', { name: 'Demo' }).waitFor({ timeout: LONG })
  await page.getByRole('heading', { name: 'Recent events' }).waitFor()
  await done()
  await auditAtBothWidths()
  // The environment that the session came from is still open.
  await page.getByRole('banner').getByRole('button', { name: 'Demo' }).click()
  await page.getByRole('menuitem', { name: 'Development' }).click()
  await create.click()
  await page.getByText('An environment named "Demo" already exists').waitFor()
})

test('someone sees the first steps, and later the failures and their causes', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'on' })
  await page.getByRole('heading', { name: 'Send your first notification' }).waitFor()
  await audit()

  await ask(act('createIntegration', 'CreateIntegrationInput'), {
    input: { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl: receiver.url } },
  })
  await ask(act('createWorkflow', 'CreateWorkflowInput'), {
    input: { identifier: 'order', name: 'Order', steps: [{ email: { subject: 'Late', body: 'Sorry' } }] },
  })
  receiver.answer(422, 'the inbox of ada is full')
  await ask(act('triggerEvent', 'TriggerEventInput'), {
    input: {
      workflowIdentifier: 'order',
      transactionId: 'order-1',
      to: [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }],
    },
  })
  await visit('/events/order-1')
  await page.getByText('the inbox of ada is full').first().waitFor()

  await page.getByRole('link', { name: 'Home' }).click()
  const integrations = page.getByRole('region', { name: 'Integrations' })
  await integrations.getByText('is failing').waitFor()
  const failed = page.getByRole('region', { name: 'Failed messages' }).getByRole('link', { name: '1 failed' })
  await failed.waitFor()
  await page.getByRole('region', { name: 'Recent events' }).getByRole('link', { name: 'order-1' }).waitFor()
  /** Returns to Home and waits for the response. Until then, the page shows cached data and may be rendered again. */
  const back = async () => {
    const answered = page.waitForResponse((answer) => answer.request().postData()?.includes('deliveryHealth') ?? false)
    await page.goBack()
    await (await answered).finished()
  }
  const lists = [
    failed,
    integrations.getByRole('link', { name: 'See its failed messages' }),
    page.getByRole('region', { name: 'Workflows' }).getByRole('link', { name: 'See its failed messages' }),
  ]
  for (const list of lists) {
    await list.click()
    await page
      .getByRole('row', { name: /order-1/ })
      .getByText('the inbox of ada is full')
      .waitFor()
    expect(page.url()).toContain('status=FAILED')
    await back()
  }
  await page.getByRole('region', { name: 'Workflows' }).getByRole('link', { name: 'its failed runs' }).click()
  await page.getByRole('tab', { name: 'Recent runs', selected: true }).waitFor()
  await page.locator('.mantine-MultiSelect-pill').getByText('Failed', { exact: true }).waitFor()
  await back()
  await integrations.getByRole('link', { name: 'the last failure' }).click()
  await page.getByRole('heading', { name: /^Order, to / }).waitFor()
})
