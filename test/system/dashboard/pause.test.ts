// Pausing in the dashboard: everyone sees the reason, and waiting objects show the pause.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const settings = { ALLOW_PRIVATE_ADDRESSES: 'on' }

async function openOrders(skip: (condition: boolean, note: string) => void): Promise<Story> {
  const story = await openStory(skip, settings)
  const credentials = { webhookUrl: receiver.url }
  const data = await story.ask(
    `mutation ($integration: CreateIntegrationInput!, $workflow: CreateWorkflowInput!) {
      createIntegration(input: $integration) { userErrors { message } }
      createWorkflow(input: $workflow) { userErrors { message } }
    }`,
    {
      integration: { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials },
      workflow: { identifier: 'order', name: 'Order', steps: [{ email: { subject: 'Late', body: 'Sorry' } }] },
    },
  )
  expect(data).toEqual({ createIntegration: { userErrors: [] }, createWorkflow: { userErrors: [] } })
  return story
}

const order = ({ ask }: Story, transactionId: string) =>
  ask('mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { code } } }', {
    input: {
      ...{ workflowIdentifier: 'order', transactionId },
      to: [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }],
    },
  })

test('someone pauses an integration with a reason, and the event says why it waits until it is resumed', async ({
  skip,
}) => {
  const story = await openOrders(skip)
  const { page, visit, audit } = story
  const dialog = page.getByRole('dialog')
  await visit('/integrations/mail')
  await page.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByText('Its messages wait until you resume it').waitFor()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('outage of the mail provider')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('note', { name: 'Paused' }).getByText('outage of the mail provider').waitFor()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  await audit()
  await visit('/integrations')
  const row = page.getByRole('row', { name: 'mail' })
  await row.getByText('Paused', { exact: true }).waitFor()
  await row.getByText('outage of the mail provider').waitFor()
  await audit()

  await order(story, 'order-1')
  await visit('/events/order-1')
  const message = page.getByRole('region', { name: 'Message to ada@example.com' })
  await message.getByText('Waits until the integration is resumed.').waitFor()
  await message.getByText('outage of the mail provider').waitFor()
  await audit()
  await visit('/deliveries')
  await page.getByText('The integration is paused: outage of the mail provider').waitFor()
  // Over the chart, the pointer would open a tooltip wider than a narrow screen.
  await page.mouse.move(0, 0)
  await visit('/')
  await page.getByRole('link', { name: 'Messages that wait for the end of a pause: 1' }).waitFor()
  await audit()
  expect(receiver.received).toEqual([])

  await visit('/integrations/mail')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await visit('/events/order-1')
  await page.getByText('1 sent').waitFor()
  await message.getByText('Accepted by the provider').waitFor()
  expect(await message.getByText('Waits until').count()).toBe(0)
  expect(receiver.received).toHaveLength(1)
})

test('someone pauses a workflow, and its preview and its events say so', async ({ skip }) => {
  const story = await openOrders(skip)
  const { page, visit, audit } = story
  await visit('/workflows/order')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('wrong text')
  await page.keyboard.press('Enter')
  await page.getByRole('note', { name: 'Paused' }).getByText('wrong text').waitFor()
  await audit()
  await visit('/workflows')
  const row = page.getByRole('row', { name: 'Order' })
  await row.getByText('Paused', { exact: true }).waitFor()
  await row.getByText('wrong text').waitFor()
  await audit()

  await order(story, 'order-1')
  await visit('/events/order-1')
  await page.getByRole('note', { name: 'Paused' }).getByText('The workflow is paused').waitFor()
  await page.getByRole('note', { name: 'Paused' }).getByText('wrong text').waitFor()
  await audit()
  await visit('/workflows/order')
  const preview = page.getByRole('region', { name: 'Preview', exact: true })
  await preview.getByRole('combobox', { name: 'Subscriber' }).fill('ada')
  await page.getByRole('option', { name: /ada/ }).click()
  await preview.getByText('The trigger would wait').waitFor()
  await preview.getByText('The workflow is paused: wrong text').first().waitFor()
  await audit()
  await page.getByRole('button', { name: 'Resume' }).click()
  await visit('/events/order-1')
  await page.getByText('1 sent').waitFor()
  expect(await page.getByRole('note', { name: 'Paused' }).count()).toBe(0)
})

test('someone pauses an environment without a reason, and the list and every page mark it', async ({ skip }) => {
  const story = await openOrders(skip)
  const { page, visit, audit, ask } = story
  await visit('/environments')
  await page.getByRole('row', { name: 'In use' }).getByRole('link').first().click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('note', { name: 'Paused' }).getByText('All runs and messages wait').waitFor()
  await audit()
  await order(story, 'order-1')
  await visit('/events/order-1')
  await page.getByRole('note', { name: 'Paused' }).getByText('The environment is paused').waitFor()
  await visit('/environments')
  await page.getByRole('row', { name: 'In use' }).getByText('Paused', { exact: true }).waitFor()
  await audit()
  const mark = page.getByRole('banner').getByRole('link', { name: 'Paused: environment Development' })
  await visit('/events')
  await mark.click()
  await page.getByRole('heading', { name: 'Development' }).waitFor()
  await audit()

  // Someone else resumes it, which the next page shows.
  await ask('mutation ($id: ID!) { resumeEnvironment(input: { id: $id }) { userErrors { message } } }', {
    id: decodeURIComponent(page.url().split('/').at(-1) ?? ''),
  })
  await visit('/events')
  await mark.waitFor({ state: 'detached' })
})
