// Workflows in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const createWorkflow = `mutation ($input: CreateWorkflowInput!) {
  createWorkflow(input: $input) { userErrors { message } }
}`

const shipped = { identifier: 'order-shipped', name: 'Order shipped' }

/** An editor of code by its label. */
const editor = ({ page }: Pick<Story, 'page'>, name: string) => page.getByRole('textbox', { name })

/** Adds a step. */
async function addStep({ page }: Story, name: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** The preview beside the steps. */
const previewIn = ({ page }: Pick<Story, 'page'>) => page.getByRole('region', { name: 'Preview', exact: true })

async function previewFor(story: Pick<Story, 'page'>, subscriber: string): Promise<void> {
  await previewIn(story).getByRole('combobox', { name: 'Subscriber' }).fill(subscriber)
  await story.page.getByRole('option', { name: new RegExp(subscriber) }).click()
}

const createMail = `mutation {
  createSubscriber(input: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" }) { userErrors { message } }
  createIntegration(input: { identifier: "mail", providerId: EMAIL_WEBHOOK, credentials: { webhookUrl: "http://127.0.0.1:9" } }) {
    userErrors { message }
  }
}`

test('someone writes a workflow, sees a preview while typing, corrects an error, and saves', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  await ask(createMail)
  await visit('/workflows')
  await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()

  await page.getByRole('button', { name: 'Create workflow' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Order shipped')
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Identifier' }).inputValue()).toBe('order-shipped')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Order shipped' }).waitFor()

  const preview = previewIn(story)
  await previewFor(story, 'ada')
  await preview.getByText('has no steps').waitFor()
  await preview.getByRole('textbox', { name: 'Payload' }).fill('{ "order": "a-17" }')
  await addStep(story, /^In-app/)
  await preview.getByText('Step 1, Text:').waitFor()
  await audit()
  await editor(story, 'Text').pressSequentially('Hello {{ subscriber.firstName }}, {{ payload.order }} is on')
  await preview.getByText('Hello Ada, a-17 is on').waitFor()
  // The field still has the focus: the typing continues.
  await page.keyboard.type(' its way')
  await preview.getByText('Hello Ada, a-17 is on its way').waitFor()
  await page.getByRole('textbox', { name: 'Link' }).fill('/orders/{{ payload.order }}')
  await page.getByRole('combobox', { name: 'Link opens in' }).selectOption('New tab')
  await page.getByRole('button', { name: 'Add button' }).click()
  const button = page.getByRole('group', { name: 'Primary button' })
  await button.getByRole('textbox', { name: 'Label' }).fill('Track it')
  await button.getByRole('textbox', { name: 'Link' }).fill('https://carrier.example')
  await button.getByRole('combobox', { name: 'Link opens in' }).selectOption('Top frame')
  await page.getByRole('button', { name: /^In-app in-app/ }).click()

  await addStep(story, /^Email/)
  await page.getByRole('textbox', { name: 'Subject' }).fill('Order {{ payload.order }}')
  await page.getByRole('radiogroup', { name: 'Body' }).getByText('HTML', { exact: true }).click()
  await editor(story, 'HTML').fill('<p style="color: teal">\nOrder {{ payload.order | loud }}</p>')
  await page.getByText('undefined filter: loud (line 2, column 7)').first().waitFor()
  const email = preview.getByRole('region', { name: 'Preview of email' })
  await email.getByText('Would fail').waitFor()
  await email.getByText('undefined filter: loud').waitFor()
  await preview.getByText('Hello Ada, a-17 is on its way').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.cm-lintRange-error').hover()
  await page.locator('.cm-tooltip').getByText('undefined filter: loud').waitFor()
  await audit()

  await editor(story, 'HTML').fill('<p style="color: teal">\nOrder {{ payload.order | upcase }}</p>')
  await email.getByText('To ada@example.com through mail').waitFor()
  const text = email.getByTitle('Email “Order a-17”').contentFrame().getByText('Order A-17')
  await expect.poll(() => text.evaluate((found) => getComputedStyle(found).color)).toBe('rgb(0, 128, 128)')
  expect(await ask('{ workflow(identifier: "order-shipped") { steps { stepId } } }')).toEqual({
    workflow: { steps: [] },
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Workflow saved.').waitFor()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  await email.getByText('To ada@example.com through mail').waitFor()
  await audit()
  const targets =
    '{ workflow(identifier: "order-shipped") { steps { ... on InAppStep { target actions { target } } } } }'
  expect(await ask(targets)).toEqual({
    workflow: { steps: [{ target: 'BLANK', actions: [{ target: 'TOP' }] }, {}] },
  })
})

test('the preview follows the contexts and the unsaved payload schema', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  const preview = previewIn(story)
  await ask('mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }')
  await ask(
    'mutation { createContext(input: { type: "tenant", identifier: "acme", data: { name: "Acme" } }) { context { key } } }',
  )
  const steps = [{ inApp: { stepId: 'feed', body: 'News of {{ context.tenant.data.name }}' } }]
  await ask(createWorkflow, { input: { ...shipped, active: false, steps } })
  await visit('/workflows/order-shipped')
  await previewFor(story, 'ada')
  await preview.getByText('News of', { exact: true }).waitFor()
  await preview.getByRole('combobox', { name: 'Contexts' }).fill('acme')
  await page.getByRole('option', { name: 'tenant:acme' }).click()
  await preview.getByText('News of Acme').waitFor()
  await preview.getByRole('textbox', { name: 'Payload' }).fill('{ "total": 1 }')

  await page.getByRole('tab', { name: 'Settings' }).click()
  const schema = { type: 'object', required: ['order'] }
  await page.getByRole('textbox', { name: 'Payload schema' }).fill(JSON.stringify(schema))
  await page.getByRole('tab', { name: 'Steps' }).click()
  // What was typed in the preview is still there.
  await preview.getByText('payload.order is required').waitFor()
  await audit()
  await preview.getByRole('textbox', { name: 'Payload' }).fill('{ "order": "a-17" }')
  await preview.getByText('payload.order is required').waitFor({ state: 'hidden' })
  await preview.getByText('Would be sent').waitFor()
})

test('the preview of an email has its styles, runs no script and loads nothing from another host', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, allow } = story
  // What the frame of the preview blocks.
  allow(/Content Security Policy|sandboxed|about:srcdoc/)
  // The browser reports what the policy blocked. That nothing has arrived is tested below.
  allow(/request to .+(imported|linked)\.css|request to .+(pixel|background)\.png/)
  await ask(createMail)
  const body = `<!doctype html><html><head>
    <style>.total { color: rgb(0, 128, 128) } h1 { background: url(${receiver.url}/background.png) }</style>
    <style>@import url(${receiver.url}/imported.css);</style>
    <link rel="stylesheet" href="${receiver.url}/linked.css">
    <meta http-equiv="refresh" content="0; url=${receiver.url}/refreshed">
    <script>document.querySelector('h1').textContent = 'A script ran'</script>
    </head><body><h1>Thank you</h1><p class="total">12 euros</p>
    <img src="${receiver.url}/pixel.png" alt="Logo" onerror="document.querySelector('h1').textContent = 'A script ran'">
    <a href="${receiver.url}/followed">Track</a></body></html>`
  await ask(createWorkflow, { input: { ...shipped, steps: [{ email: { subject: 'Receipt', body } }] } })
  await visit('/workflows/order-shipped')
  await previewFor(story, 'ada')
  const email = previewIn(story).getByTitle('Email “Receipt”').contentFrame()
  const total = email.getByText('12 euros')
  await expect.poll(() => total.evaluate((found) => getComputedStyle(found).color)).toBe('rgb(0, 128, 128)')
  expect(await total.evaluate(({ ownerDocument }) => ownerDocument.compatMode)).toBe('CSS1Compat')
  await email.getByRole('heading', { name: 'Thank you' }).waitFor()
  await email.getByRole('link', { name: 'Track' }).click()
  await page.getByText('Images from other hosts are not loaded here.').waitFor()
  expect(receiver.received).toEqual([])
  expect(await email.getByRole('heading').textContent()).toBe('Thank you')
})

test('someone triggers a workflow for real, reaches the event, and deletes the workflow', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask('mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }')
  const body = 'Order {{ payload.order.id }} is on its way{% for item in payload.items %}, {{ item }}{% endfor %}'
  await ask(createWorkflow, { input: { ...shipped, steps: [{ inApp: { body } }] } })
  await visit('/workflows/order-shipped')
  await previewFor({ page }, 'ada')
  await page.getByRole('tab', { name: 'Recent runs' }).click()
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  await page.getByRole('button', { name: 'Trigger this workflow' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Trigger for real' }).click()
  await dialog.getByText('Choose at least one subscriber or topic, or everyone.').waitFor()
  // The payload begins with what the templates name.
  const payload = dialog.getByRole('textbox', { name: 'Payload' })
  const given = async () =>
    JSON.parse(
      await payload.evaluate((field) => (field instanceof HTMLTextAreaElement ? field.value : field.textContent)),
    )
  await expect.poll(given).toEqual({ items: [], order: { id: 'text' } })
  await payload.fill('{ "order": { "id": "a-17" } }')
  await dialog.getByRole('button', { name: 'From the preview' }).click()
  await dialog.getByText('ada', { exact: true }).waitFor()
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(given).toEqual({ order: { id: 'a-17' } })
  await dialog.getByText('ada', { exact: true }).waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'From the preview' }).click()
  await dialog.getByText('ada', { exact: true }).waitFor()
  await dialog.getByRole('textbox', { name: 'Transaction id' }).fill('first-order')
  await audit()
  await dialog.getByRole('button', { name: 'Trigger for real' }).click()
  await dialog.getByText('Triggered', { exact: true }).waitFor()
  await dialog.getByRole('link', { name: 'Open the event' }).click()
  await page.waitForURL(/\/events\/first-order$/)
  expect(await ask('{ event(transactionId: "first-order") { workflowIdentifier } }')).toEqual({
    event: { workflowIdentifier: 'order-shipped' },
  })

  await page.goBack()
  const run = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'first-order' }) })
  await run.getByText('Delivered').waitFor()
  expect(await run.getByRole('link', { name: 'ada' }).getAttribute('href')).toContain('/subscribers/ada')
  await page.getByText('1 in total').waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
})

test('someone searches workflows, filters the inactive ones, and shares the address of the list', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(createWorkflow, { input: shipped })
  await ask(createWorkflow, { input: { identifier: 'order-lost', name: 'Order lost', active: false } })
  await ask(createWorkflow, { input: { identifier: 'welcome', name: 'Welcome', active: false } })
  await visit('/workflows')
  await page.getByText('3 in total').waitFor()
  await page.getByRole('searchbox', { name: 'Search by identifier or name' }).pressSequentially('ord')
  await page.getByText('2 in total').waitFor()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Inactive' }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('link', { name: 'Order lost' }).waitFor()
  await page.reload()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByRole('heading', { name: 'No workflow matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByText('3 in total').waitFor()
})

test('someone moves a step by keyboard, writes a condition in a form, and is warned before losing it', async ({
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
  await page.getByRole('button', { name: 'Add group' }).click()
  const group = page.getByRole('group', { name: 'Group' })
  await group.getByRole('combobox', { name: 'Variable' }).fill('payload.plan')
  await group.getByRole('textbox', { name: 'Value' }).fill('pro')
  await group.getByRole('button', { name: 'Add comparison' }).click()
  await group.getByRole('combobox', { name: 'Variable' }).last().fill('subscriber.email')
  await group.getByRole('combobox', { name: 'Comparison' }).last().selectOption('is set')
  await audit()
  await group.getByRole('button', { name: 'Remove comparison' }).first().click()
  await expect.poll(() => group.getByRole('combobox', { name: 'Variable' }).count()).toBe(1)
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => group.getByRole('combobox', { name: 'Variable' }).first().inputValue()).toBe('payload.plan')

  await page.getByRole('link', { name: 'Topics' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('are lost if you leave.').waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
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
        {
          stepId: 'text',
          condition: {
            and: [
              { '>=': [{ var: 'payload.total' }, 99.5] },
              { or: [{ '==': [{ var: 'payload.plan' }, 'pro'] }, { '!!': [{ var: 'subscriber.email' }] }] },
            ],
          },
        },
        { stepId: 'feed', condition: null },
      ],
    },
  })
})

test('someone with a read-only key sees a workflow and its preview, and no control that changes it', async ({
  skip,
}) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  await ask(createMail)
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
  await previewFor(story, 'ada')
  await previewIn(story).getByRole('region', { name: 'Preview of text' }).waitFor()
  const text = page.locator('.cm-content').filter({ hasText: 'On its way' })
  await text.waitFor()
  expect(await text.getAttribute('aria-readonly')).toBe('true')
})
