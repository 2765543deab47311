// Events in the dashboard: why a message did not arrive, and what to do about it.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const settings = { ALLOW_PRIVATE_ADDRESSES: 'on' }

async function act(
  { ask }: Story,
  mutation: string,
  type: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const operation = `mutation ($input: ${type}!) { done: ${mutation}(input: $input) { userErrors { message } } }`
  expect(await ask(operation, { input })).toEqual({ done: { userErrors: [] } })
}

const createWorkflow = (story: Story, identifier: string, name: string, steps: readonly object[]) =>
  act(story, 'createWorkflow', 'CreateWorkflowInput', { identifier, name, steps })

const trigger = (story: Story, name: string, transactionId: string, more: object = {}) =>
  act(story, 'triggerEvent', 'TriggerEventInput', {
    name,
    transactionId,
    to: [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }],
    ...more,
  })

test('someone filters events and shares the address of the filtered list', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit } = story
  await visit('/events')
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  await createWorkflow(story, 'welcome', 'Welcome', [{ inApp: { body: 'Hello' } }])
  await createWorkflow(story, 'quiet', 'Quiet', [])
  await trigger(story, 'welcome', 'signed-up')
  await trigger(story, 'quiet', 'nothing-to-do')

  await page.reload()
  await page.getByRole('link', { name: 'signed-up' }).waitFor()
  await page.getByRole('combobox', { name: 'Reason' }).click()
  await page.getByRole('option', { name: 'No steps' }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('link', { name: 'nothing-to-do' }).waitFor()

  await page.reload()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('combobox', { name: 'Workflow' }).click()
  await page.getByRole('option', { name: 'Welcome' }).click()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByText('2 in total').waitFor()

  await page.getByRole('combobox', { name: 'Subscriber' }).fill('ada@')
  await page.getByRole('option', { name: /ada@example.com/ }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('link', { name: 'signed-up' }).waitFor()
  await page.getByRole('button', { name: 'Clear the subscriber' }).click()
  await page.getByText('2 in total').waitFor()
  await page.getByRole('combobox', { name: 'Workflow' }).fill('wel')
  await page.getByRole('option', { name: 'Quiet' }).waitFor({ state: 'hidden' })
  await page.getByRole('option', { name: 'Welcome' }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('link', { name: 'signed-up' }).waitFor()
  await page.getByRole('combobox', { name: 'Workflow' }).fill('qui')
  await page.getByRole('option', { name: 'Quiet' }).click()
  await page.getByText('2 in total').waitFor()
  expect(page.url()).toContain('workflow=welcome%2Cquiet')
  await page.getByRole('button', { name: 'Clear: Workflow' }).click()
  await page.getByText('2 in total').waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Skipped' }).click()
  await page.getByRole('link', { name: 'nothing-to-do' }).waitFor()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('combobox', { name: 'Time' }).click()
  await page.getByRole('option', { name: 'Last hour' }).click()
  await page.getByText('1 in total').waitFor()
  expect(page.url()).toContain('time=1h')
  await page.getByLabel('Until').fill('2020-01-01T12:00')
  await page.getByRole('heading', { name: 'No event matches' }).waitFor()
  expect(page.url()).not.toContain('time=')
})

test('someone finds the events of a tenant, the events without contexts, and an event by its id', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit } = story
  const contexts = [{ type: 'tenant', identifier: 'acme' }]
  await createWorkflow(story, 'welcome', 'Welcome', [{ inApp: { body: 'Hello' } }])
  await trigger(story, 'welcome', 'at-acme', { contexts })
  await trigger(story, 'welcome', 'anywhere')
  await trigger(story, 'welcome', 'elsewhere')

  await visit('/events')
  await page.getByText('3 in total').waitFor()
  await page.getByRole('combobox', { name: 'Exact contexts' }).fill('acme')
  await page.getByRole('option', { name: 'tenant:acme' }).click()
  await page.getByRole('link', { name: 'at-acme' }).waitFor()
  await page.getByText('1 in total').waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await page.getByText('1 in total').waitFor()

  await page.getByRole('combobox', { name: 'Exact contexts' }).click()
  await page.getByRole('option', { name: 'Without contexts' }).click()
  await page.getByText('2 in total').waitFor()
  await page.getByRole('textbox', { name: 'Transaction id' }).fill('elsewhere')
  await page.getByText('1 in total').waitFor()
  await page.getByRole('link', { name: 'elsewhere' }).waitFor()
})

test('two filters that change at once both apply', async ({ skip }) => {
  const { page, visit } = await openStory(skip)
  await visit('/events')
  await page.getByLabel('Until').waitFor()
  await page.evaluate(
    (texts) => {
      const fields = document.querySelectorAll('input[type="datetime-local"]')
      for (const [index, field] of fields.entries()) {
        // Bypasses the property through which React knows the values that it has set itself.
        Reflect.set(HTMLInputElement.prototype, 'value', texts[index], field)
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
    },
    ['2020-01-01T12:00', '2021-01-01T12:00'],
  )
  await page.getByRole('heading', { name: 'No event matches' }).waitFor()
  expect(await page.getByLabel('From').inputValue()).toBe('2020-01-01T12:00')
  expect(await page.getByLabel('Until').inputValue()).toBe('2021-01-01T12:00')
})

test('a message that the provider rejected shows the answer, and is sent when it is retried', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  await act(story, 'createIntegration', 'CreateIntegrationInput', {
    identifier: 'mail',
    providerId: 'EMAIL_WEBHOOK',
    credentials: { webhookUrl: receiver.url },
  })
  await createWorkflow(story, 'order', 'Order', [{ email: { stepId: 'mail', subject: 'Late', body: 'Sorry' } }])
  receiver.answer(422, 'the inbox of ada is full')
  await trigger(story, 'order', 'order-1')

  await page.setViewportSize({ width: 1440, height: 900 })
  const done = await measureStory(page, 'why a message failed, and its retry')
  await visit('/events')
  await page.getByRole('link', { name: 'order-1' }).click()
  const message = page.getByRole('region', { name: 'Message to ada@example.com' })
  const answer = message.getByText('the inbox of ada is full').first()
  await answer.waitFor()
  const { y = Infinity, height = 0 } = (await answer.boundingBox()) ?? {}
  expect(y + height, 'pixels to the end of the answer, without scrolling').toBeLessThan(900)
  await message.getByRole('button', { name: 'Show the email' }).click()
  await message.frameLocator('[title="Email “Late”"]').getByText('Sorry').waitFor()
  await page.getByText('Correct the address of the subscriber or the content of the message').waitFor()
  await audit()

  receiver.answer(200)
  await message.getByRole('button', { name: 'Retry message' }).click()
  await message.getByText('Attempt 2').waitFor()
  await message.getByText('Accepted by the provider').waitFor()
  await page.getByText('1 sent').waitFor()
  await done()
  await page.getByRole('link', { name: 'ada', exact: true }).first().waitFor()
  expect(await page.getByRole('link', { name: 'mail' }).getAttribute('href')).toContain('/integrations/mail')
})

test('recipients who missed a message get it with the current workflow, once the integration exists', async ({
  skip,
}) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  await createWorkflow(story, 'order', 'Order', [{ email: { stepId: 'mail', subject: 'Late', body: 'Sorry' } }])
  await trigger(story, 'order', 'order-1')

  await visit('/events/order-1')
  await page.getByText('has no integration for the channel email').first().waitFor()
  await page.getByRole('button', { name: 'Retry run' }).waitFor()
  await audit()
  receiver.answer(200)
  await act(story, 'createIntegration', 'CreateIntegrationInput', {
    identifier: 'mail',
    providerId: 'EMAIL_WEBHOOK',
    credentials: { webhookUrl: receiver.url },
  })
  await page.getByRole('button', { name: 'Retry recipients' }).click()
  await page.getByRole('menuitem', { name: 'With the current workflow' }).click()
  await page.getByText('Retry 1 run?').waitFor()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.getByText('Accepted by the provider').waitFor()
  await page.getByText('1 sent').waitFor()
})

test('an event shows the version of the workflow that it ran, with the texts as they were', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  await createWorkflow(story, 'welcome', 'Welcome', [{ inApp: { stepId: 'bell', body: 'Hello' } }])
  await trigger(story, 'welcome', 'signed-up', { actor: { subscriberId: 'alan' } })
  await act(story, 'updateWorkflow', 'UpdateWorkflowInput', {
    identifier: 'welcome',
    steps: [{ inApp: { stepId: 'bell', body: 'Goodbye' } }],
  })
  await visit('/events/signed-up')
  await page.getByText('version 1, the current one is 2').waitFor()
  await page.getByRole('link', { name: 'alan' }).waitFor()
  await page.getByRole('button', { name: 'In-app: bell' }).click()
  await page.getByRole('region', { name: 'bell' }).getByText('Hello').waitFor()
  await audit()
})

test('a skipped step shows the reason, and a link to the page where it can be changed', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  await createWorkflow(story, 'upgrade', 'Upgrade', [
    { inApp: { stepId: 'bell', body: 'Hello', condition: { '==': [{ var: 'payload.plan' }, 'pro'] } } },
  ])
  await trigger(story, 'upgrade', 'upgrade-1', { payload: { plan: 'free' } })

  await visit('/events/upgrade-1')
  await page.getByText('The condition of step "bell" is not met').waitFor()
  await audit()
  const link = page.getByRole('link', { name: 'Open the workflow' })
  expect(await link.getAttribute('href')).toContain('/workflows/upgrade')
})

test('someone cancels an event that waits', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, ask, audit } = story
  await createWorkflow(story, 'reminder', 'Reminder', [
    { delay: { stepId: 'wait', amount: 1, unit: 'DAYS' } },
    { inApp: { body: 'Hello' } },
  ])
  await trigger(story, 'reminder', 'reminder-1')

  await visit('/events/reminder-1')
  await page.getByText('The next steps follow').waitFor()
  await page.getByRole('button', { name: 'Cancel event' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('are cancelled').waitFor()
  await dialog.getByRole('button', { name: 'Cancel the event' }).click()
  await page.getByText('The event was cancelled.').first().waitFor()
  await dialog.waitFor({ state: 'detached' })
  await audit()
  expect(await ask('{ event(transactionId: "reminder-1") { status } }')).toEqual({ event: { status: 'CANCELLED' } })
})
