// Messages in the dashboard: the whole list, and searches.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const settings = { ALLOW_PRIVATE_ADDRESSES: 'on' }

async function createOrder({ ask }: Story): Promise<void> {
  const integration = { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl: receiver.url } }
  const workflow = { identifier: 'order', name: 'Order', steps: [{ email: { subject: 'Late', body: 'Sorry' } }] }
  const data = await ask(
    `mutation ($integration: CreateIntegrationInput!, $workflow: CreateWorkflowInput!) {
      createIntegration(input: $integration) { userErrors { message } }
      createWorkflow(input: $workflow) { userErrors { message } }
    }`,
    { integration, workflow },
  )
  expect(data).toEqual({ createIntegration: { userErrors: [] }, createWorkflow: { userErrors: [] } })
}

async function order({ ask }: Story, transactionId: string, people: readonly string[]): Promise<void> {
  const to = people.map((subscriberId) => ({ subscriber: { subscriberId, email: `${subscriberId}@example.com` } }))
  const data = await ask(
    'mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { code } } }',
    {
      input: { workflowIdentifier: 'order', transactionId, to },
    },
  )
  expect(data).toEqual({ triggerEvent: { userErrors: [] } })
}

test('someone filters messages and shares the address of the filtered list', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit } = story
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Messages', exact: true }).click()
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor()
  await createOrder(story)
  await order(story, 'order-1', ['ada'])
  await visit('/events/order-1')
  await page.getByText('1 sent').waitFor()
  receiver.answer(422, 'the inbox of grace is full')
  await order(story, 'order-2', ['grace'])

  await visit('/events/order-2')
  await page.getByText('the inbox of grace is full').first().waitFor()
  await visit('/deliveries')
  await page.getByText('2 in total').waitFor()
  const choose = async (filter: string, option: string) => {
    await page.getByRole('combobox', { name: filter }).click()
    await page.getByRole('option', { name: option }).click()
  }
  await choose('Status', 'Failed')
  await page.getByText('1 in total').waitFor()
  await page.reload()
  const row = page.getByRole('row', { name: /order-2/ })
  await row.getByText('the inbox of grace is full').waitFor()
  expect(await row.getByRole('link', { name: 'grace' }).getAttribute('href')).toContain('/subscribers/grace')
  expect(await row.getByRole('link', { name: 'mail' }).getAttribute('href')).toContain('/integrations/mail')
  expect(await row.getByRole('link', { name: 'order', exact: true }).getAttribute('href')).toContain('/workflows/order')

  await choose('Status', 'Sent')
  await page.getByText('2 in total').waitFor()
  expect(page.url()).toContain('status=FAILED%2CSENT')
  await choose('Channel', 'SMS')
  await page.getByRole('heading', { name: 'No message matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByText('2 in total').waitFor()
  await page.getByRole('combobox', { name: 'Subscriber' }).fill('ad')
  await page.getByRole('option', { name: 'ada' }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('textbox', { name: 'Transaction id' }).fill('order-1')
  await choose('Workflow', 'Order')
  await page.getByRole('combobox', { name: 'Integration' }).fill('mail')
  const filters = { subscriber: 'ada', transaction: 'order-1', workflow: 'order', integration: 'mail' }
  await page.waitForURL(({ hash }) => {
    const query = new URLSearchParams(hash.split('?')[1])
    return Object.entries(filters).every(([name, value]) => query.get(name) === value)
  })
  await page.getByText('1 in total').waitFor()
  await page.getByLabel('Until').fill('2020-01-01T12:00')
  await page.getByRole('heading', { name: 'No message matches' }).waitFor()
})

test('someone pages through the messages, opens the run of one recipient, and sees more rows at once', async ({
  skip,
}) => {
  const story = await openStory(skip, settings)
  const { page, visit } = story
  await createOrder(story)
  const people = Array.from({ length: 21 }, (_, index) => `person-${index}`)
  await order(story, 'order-1', people)
  await visit('/events/order-1')
  await page.getByText('21 sent').waitFor()
  await visit('/deliveries?status=SENT')
  await page.getByRole('heading', { name: 'Messages' }).waitFor()
  await page.getByText('21 in total').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  const rows = page.getByRole('table', { name: 'Messages' }).getByRole('row')
  // The row of the header, and the one of the message.
  await rows.nth(20).waitFor({ state: 'detached' })
  await rows.nth(1).waitFor()
  const person = await rows.getByRole('link', { name: /person-/ }).textContent()
  await rows.getByRole('link', { name: 'order-1' }).click()
  await page.getByRole('region', { name: `Run for ${person}` }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Previous' }).click()
  await rows.nth(20).waitFor()
  await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('50 rows')
  await rows.nth(21).waitFor()
  await page.reload()
  await rows.nth(21).waitFor()
})
