// Workflows in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory, type Story } from '../../support/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const createWorkflow = `mutation ($input: CreateWorkflowInput!) {
  createWorkflow(input: $input) { userErrors { message } }
}`

const shipped = { identifier: 'order-shipped', name: 'Order shipped' }

/** An editor of code by its label. */
const editor = ({ page }: Pick<Story, 'page'>, name: string) => page.getByRole('textbox', { name })

test('someone writes a workflow, mends an error in a template, saves and previews it', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" }) { userErrors { message } }
    createIntegration(input: { identifier: "mail", providerId: EMAIL_WEBHOOK, credentials: { webhookUrl: "http://127.0.0.1:9" } }) {
      userErrors { message }
    }
  }`)
  await visit('/workflows')
  await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
  await audit()

  await page.getByRole('button', { name: 'Create workflow' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Order shipped')
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Identifier' }).inputValue()).toBe('order-shipped')
  await audit()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Order shipped' }).waitFor()

  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('menuitem', { name: /^In-app/ }).click()
  await editor(story, 'Text').fill('Hello {{ subscriber.firstName }}, {{ payload.order }} is on its way')
  await page.getByRole('button', { name: /^In-app in-app/ }).click()

  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('menuitem', { name: /^Email/ }).click()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Order {{ payload.order }}')
  await editor(story, 'HTML').fill('<p style="color: teal">\nOrder {{ payload.order | loud }}</p>')
  await page.getByText('undefined filter: loud (line 2, column 7)').first().waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.cm-lintRange-error').hover()
  await page.locator('.cm-tooltip').getByText('undefined filter: loud').waitFor()
  await audit()

  await editor(story, 'HTML').fill('<p style="color: teal">\nOrder {{ payload.order | upcase }}</p>')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Workflow saved.').waitFor()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })

  const preview = page.getByRole('region', { name: 'Preview', exact: true })
  await preview.getByRole('combobox', { name: 'Subscriber' }).fill('Ada')
  await page.getByRole('option', { name: /ada@example.com/ }).click()
  await preview.getByRole('textbox', { name: 'Payload' }).fill('{ "order": "a-17" }')
  await preview.getByText('Hello Ada, a-17 is on its way').waitFor()
  await preview.getByText('To ada@example.com through mail').waitFor()
  const email = preview.getByTitle('Email “Order a-17”').contentFrame().getByText('Order A-17')
  await expect.poll(() => email.evaluate((text) => getComputedStyle(text).color)).toBe('rgb(0, 128, 128)')
  await audit()
})

test('someone triggers a workflow for real, reaches the event, and deletes the workflow', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask('mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }')
  await ask(createWorkflow, { input: { ...shipped, steps: [{ inApp: { body: 'On its way' } }] } })
  await visit('/workflows/order-shipped')
  await page.getByRole('button', { name: 'Trigger' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Trigger for real' }).click()
  await dialog.getByText('Choose at least one subscriber or topic.').waitFor()
  await dialog.getByRole('combobox', { name: 'Subscribers' }).fill('ada')
  await page.getByRole('option', { name: 'ada', exact: true }).click()
  await dialog.getByRole('textbox', { name: 'Transaction ID' }).fill('first-order')
  await audit()
  await dialog.getByRole('button', { name: 'Trigger for real' }).click()
  await dialog.getByText('Triggered', { exact: true }).waitFor()
  await dialog.getByRole('link', { name: 'Open the event' }).click()
  await page.waitForURL(/#\/events\/first-order$/)
  expect(await ask('{ event(transactionId: "first-order") { workflowIdentifier } }')).toEqual({
    event: { workflowIdentifier: 'order-shipped' },
  })

  await visit('/workflows/order-shipped?tab=events')
  await page.getByRole('link', { name: 'first-order' }).waitFor()
  await audit()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
})

test('someone moves a step by keyboard, writes a condition as a form, and is asked before it is lost', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  const steps = [{ inApp: { stepId: 'feed', body: 'On its way' } }, { sms: { stepId: 'text', body: 'On its way' } }]
  await ask(createWorkflow, { input: { ...shipped, steps } })
  await visit('/workflows/order-shipped')
  await page.getByRole('button', { name: 'Move text up' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Step text is now number 1 of 2.').waitFor()
  await page.getByRole('button', { name: 'Move text down' }).and(page.locator(':focus')).waitFor()

  await page.getByRole('button', { name: /^SMS text/ }).click()
  await page.getByText('If …').click()
  await page.getByRole('combobox', { name: 'Variable' }).fill('payload.total')
  await page.getByRole('combobox', { name: 'Comparison' }).selectOption('is at least')
  await page.getByRole('textbox', { name: 'Value' }).fill('99.5')
  await audit()

  await page.getByRole('link', { name: 'Topics' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('They are lost if you leave.').waitFor()
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Payload schema' }).fill('{ "type": "order" }')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^Type must be/).waitFor()
  await audit()
  await page.getByRole('textbox', { name: 'Payload schema' }).fill('{ "type": "object" }')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Workflow saved.').waitFor()
  expect(await ask('{ workflow(identifier: "order-shipped") { payloadSchema steps { stepId condition } } }')).toEqual({
    workflow: {
      payloadSchema: { type: 'object' },
      steps: [
        { stepId: 'text', condition: { and: [{ '>=': [{ var: 'payload.total' }, 99.5] }] } },
        { stepId: 'feed', condition: null },
      ],
    },
  })
})

test('someone with a read-only key sees a workflow, and no control that changes it', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createWorkflow, { input: { ...shipped, steps: [{ sms: { stepId: 'text', body: 'On its way' } }] } })
  const { createApiKey } = (await ask(
    'mutation { createApiKey(input: { name: "Reader", access: READ_ONLY }) { newApiKey { key } } }',
  )) as { createApiKey: { newApiKey: { key: string } } }
  await page.evaluate(() => sessionStorage.clear())
  await page.reload()
  await page.getByRole('textbox', { name: 'API key' }).fill(createApiKey.newApiKey.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()

  await visit('/workflows')
  await page.getByRole('link', { name: 'Order shipped' }).click()
  await page.getByRole('button', { name: /^SMS text/ }).click()
  await page.getByRole('textbox', { name: 'Text' }).getByText('On its way').waitFor()
  await audit()
  for (const name of ['Save', 'Trigger', 'Delete', 'Add step', 'Remove text']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  }
  expect(await page.getByRole('textbox', { name: 'Text' }).getAttribute('aria-readonly')).toBe('true')
})
