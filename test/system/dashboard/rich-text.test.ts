// Emails as rich text in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buttonStyle } from '../../../src/dashboard/parts/rich-text/button-style.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

const data = `mutation {
  createSubscriber(input: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" }) { userErrors { message } }
  createIntegration(input: { identifier: "mail", providerId: EMAIL_WEBHOOK, credentials: { webhookUrl: "http://127.0.0.1:9" } }) {
    userErrors { message }
  }
}`

const createWorkflow = `mutation ($steps: [WorkflowStepInput!]!) {
  createWorkflow(input: { identifier: "shipped", name: "Shipped", steps: $steps }) { userErrors { message } }
}`

const bodyOf = async ({ ask }: Story): Promise<string> => {
  const { workflow } = (await ask('{ workflow(identifier: "shipped") { steps { ... on EmailStep { body } } } }')) as {
    workflow: { steps: { body: string }[] }
  }
  return workflow.steps[0]?.body ?? ''
}

const choose = ({ page }: Story, view: 'Rich text' | 'HTML') =>
  page.getByRole('radiogroup', { name: 'Body' }).getByText(view, { exact: true }).click()

const text = ({ page }: Story) => page.getByRole('textbox', { name: 'Rich text', exact: true })

/** A button of the toolbar. */
const control = ({ page }: Story, name: string) =>
  page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name, exact: true })

async function save({ page }: Story): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Workflow saved.').waitFor()
}

const written = `<h1>Hello {{ subscriber.firstName }}</h1>
<p>Your <strong>order</strong> {{ payload.order | default: "is" }} on its way. <a href="https://example.com/help">Get help</a></p>
<ul>
  <li>One</li>
  <li>Two</li>
</ul>
<p><a href="{{ payload.url }}" style="${buttonStyle('#3b5bdb')}">Track it</a></p>`

for (const size of [WIDE, NARROW]) {
  test(`someone writes an email as rich text, sees its preview, saves and opens it again, at ${size.width} pixels`, async ({
    skip,
  }) => {
    const story = await openStory(skip)
    const { page, visit, ask, audit } = story
    await page.setViewportSize(size)
    await ask(data)
    await ask(createWorkflow, { steps: [] })
    await visit('/workflows/shipped')
    await page.getByRole('button', { name: 'Add step' }).click()
    await page.getByRole('menuitem', { name: /^Email/ }).click()
    await page.getByRole('textbox', { name: 'Subject' }).fill('Your order')
    const preview = page.getByRole('region', { name: 'Preview', exact: true })
    await preview.getByRole('combobox', { name: 'Subscriber' }).fill('ada')
    await page.getByRole('option', { name: /ada/ }).click()

    // The body is empty, so that rich text is offered first.
    await text(story).click()
    await page.keyboard.type('# Hello ')
    await control(story, 'Variable').click()
    await page.getByRole('combobox', { name: 'Variable' }).fill('firstN')
    await page.getByRole('option', { name: 'subscriber.firstName' }).click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Your ')
    await page.keyboard.press('Control+B')
    await page.keyboard.type('order')
    await page.keyboard.press('Control+B')
    await page.keyboard.type(' {{ payload.order | default: "is" }} on its way. ')
    await control(story, 'Link').click()
    const dialog = page.getByRole('dialog', { name: 'Link' })
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Get help')
    await dialog.getByRole('textbox', { name: 'Address' }).fill('example.com/help')
    await page.keyboard.press('Enter')
    await dialog.getByText('Start the address with https://').waitFor()
    await audit()
    await dialog.getByRole('textbox', { name: 'Address' }).fill('https://example.com/help')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.keyboard.type('- One')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Two')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await control(story, 'Button').click()
    await page.getByRole('textbox', { name: 'Label' }).fill('Track it')
    await page.getByRole('textbox', { name: 'Address' }).fill('{{ payload.url }}')
    await page.getByRole('button', { name: 'Insert button' }).click()

    const email = preview.getByTitle('Email “Your order”').contentFrame()
    await email.getByRole('heading', { name: 'Hello Ada' }).waitFor()
    await email.getByRole('link', { name: 'Track it' }).waitFor()
    await audit()
    await save(story)
    expect(await bodyOf(story)).toBe(written)

    await page.reload()
    await page.getByRole('button', { name: /^Email email/ }).click()
    await text(story).getByRole('heading', { name: 'Hello' }).waitFor()
    await choose(story, 'HTML')
    await page.getByRole('textbox', { name: 'HTML' }).getByText('<strong>').waitFor()
    await choose(story, 'Rich text')
    await text(story).getByText('Track it').waitFor()
    expect(await page.getByText('Unsaved changes').count()).toBe(0)
  })
}

test('HTML that rich text cannot represent stays untouched, and the reason is said', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  const body = '<!doctype html>\n<style>p { color: teal }</style>\n<table><tr><td>{{ payload.order }}</td></tr></table>'
  await ask(createWorkflow, { steps: [{ email: { stepId: 'email', subject: 'Your order', body } }] })
  await visit('/workflows/shipped')
  await page.getByRole('button', { name: /^Email email/ }).click()
  await page.getByRole('textbox', { name: 'HTML' }).waitFor()
  await choose(story, 'Rich text')
  await page
    .getByText('Rich text cannot represent <!doctype html>, <style>, <table>, <tr> and <td>, so this email stays HTML.')
    .waitFor()
  expect(await text(story).count()).toBe(0)
  await audit()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Your order has shipped')
  await save(story)
  expect(await bodyOf(story)).toBe(body)
})

test('HTML that rich text would write differently is changed only if someone agrees, and can be changed back', async ({
  skip,
}) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  const body = 'Hello <b>{{ subscriber.firstName }}</b>'
  await ask(createWorkflow, { steps: [{ email: { stepId: 'email', subject: 'Hello', body } }] })
  await visit('/workflows/shipped')
  await page.getByRole('button', { name: /^Email email/ }).click()
  await choose(story, 'Rich text')
  await page.getByText('text outside of a paragraph is put in <p> and <b> becomes <strong>.').waitFor()
  expect(await page.getByText('Unsaved changes').count()).toBe(0)
  await audit()
  await page.getByRole('button', { name: 'Change it and edit' }).click()
  await text(story).getByText('{{ subscriber.firstName }}').waitFor()
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Change it and edit' }).click()

  // By keyboard: the toolbar is one tab stop, in which the arrow keys move.
  await text(story).press('End')
  await page.keyboard.type('!')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('End')
  await control(story, 'Variable').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await save(story)
  expect(await bodyOf(story)).toBe('<p>Hello <strong>{{ subscriber.firstName }}</strong></p>')
})

test('a draft of rich text survives a reload, and a reader sees the HTML only', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, becomeReader } = story
  const steps = [{ email: { stepId: 'email', subject: 'Hello', body: '<p>Hello</p>' } }]
  await ask(createWorkflow, { steps })
  await visit('/workflows/shipped')
  await page.getByRole('button', { name: /^Email email/ }).click()
  await choose(story, 'Rich text')
  await text(story).press('End')
  await page.keyboard.type(' you {{ payload.name')
  await page.reload()
  await page.getByText('Unsaved changes', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^Email email/ }).click()
  await text(story).getByText('Hello you {{ payload.name').waitFor()
  // An error in a template is shown at the field.
  await page
    .getByText(/not closed/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  // The steps are those of the gateway again, all closed.
  await page.getByRole('button', { name: /^Email email/ }).click()
  await text(story).getByText('Hello', { exact: true }).waitFor()

  await becomeReader()
  await visit('/workflows/shipped')
  await page.getByRole('button', { name: /^Email email/ }).click()
  await page.getByRole('textbox', { name: 'HTML' }).getByText('<p>Hello</p>').waitFor()
  expect(await page.getByRole('radio', { name: 'Rich text' }).count()).toBe(0)
})
