// The sender, recipients, headers and threads of emails in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const data = `mutation {
  createSubscriber(input: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" }) { userErrors { message } }
  createIntegration(input: { identifier: "mail", providerId: EMAIL_WEBHOOK, credentials: { webhookUrl: "http://127.0.0.1:9" } }) {
    userErrors { message }
  }
  createWorkflow(input: {
    identifier: "invoice", name: "Invoice",
    steps: [{ email: { subject: "Invoice {{payload.number}}", body: "<p>Please pay.</p>" } }]
  }) { userErrors { message } }
}`

const fieldsQuery = `{
  workflow(identifier: "invoice") {
    steps { ... on EmailStep { preheader senderName replyTo cc bcc headers { name value } threadKey } }
  }
}`

test.for([1440, 390])(
  'at %i pixels, someone sends invoices with a copy to the accountant, and sees the envelope',
  async (width, { skip }) => {
    const story = await openStory(skip)
    const { page, visit, ask, audit } = story
    await page.setViewportSize({ width, height: 900 })
    await ask(data)
    await visit('/workflows/invoice')
    await page.getByRole('button', { name: /^Email/ }).click()
    const field = (name: string) => page.getByLabel(name, { exact: true }).and(page.locator('input, textarea'))
    await field('Preview text').fill('Due in {{payload.days}} days')
    const fold = page.getByRole('button', { name: 'Sender, recipients and headers' })
    expect(await fold.getAttribute('aria-expanded')).toBe('false')
    await fold.click()
    await field('Sender name').fill('Acme billing')
    await field('Reply to').fill('support@acme.example')
    await field('Bcc').fill('{{ "books@acme.example" }}')
    await field('Bcc').press('Enter')
    await field('Thread').fill('invoice-{{payload.number}}')
    await page.getByRole('button', { name: 'Add header' }).click()
    const header = page.getByRole('group', { name: 'Header 1' })
    await header.getByRole('textbox', { name: 'Name' }).fill('Subject')
    await header.getByRole('textbox', { name: 'Value' }).fill('x')
    await header.getByText(/^Must not be a header/).waitFor()
    await header.getByRole('textbox', { name: 'Name' }).fill('X-Invoice')
    await header.getByRole('textbox', { name: 'Value' }).fill('{{payload.number}}')
    await audit()
    await page.setViewportSize({ width, height: 900 })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Workflow saved.').waitFor()
    expect(await ask(fieldsQuery)).toEqual({
      workflow: {
        steps: [
          {
            preheader: 'Due in {{payload.days}} days',
            senderName: 'Acme billing',
            replyTo: ['support@acme.example'],
            cc: [],
            bcc: ['{{ "books@acme.example" }}'],
            headers: [{ name: 'X-Invoice', value: '{{payload.number}}' }],
            threadKey: 'invoice-{{payload.number}}',
          },
        ],
      },
    })

    const subscriber = page
      .getByRole('region', { name: 'Preview', exact: true })
      .getByRole('combobox', { name: 'Subscriber' })
    await subscriber.fill('ada')
    await page.getByRole('option', { name: /ada/ }).waitFor()
    await subscriber.press('ArrowDown')
    await subscriber.press('Enter')
    const preview = page.getByRole('region', { name: /^Preview of email/ })
    await preview.getByText('Bcc: books@acme.example').waitFor()
    await preview.getByText('Reply to: support@acme.example').waitFor()

    const { triggerEvent } = (await ask(`mutation {
    triggerEvent(input: {
      workflowIdentifier: "invoice", to: [{ subscriber: { subscriberId: "ada" } }], payload: { number: 7, days: 3 }
    }) { event { transactionId } }
  }`)) as { triggerEvent: { event: { transactionId: string } } }
    await visit(`/events/${triggerEvent.event.transactionId}?subscriber=ada`)
    const message = page.getByRole('region', { name: 'Message to ada@example.com' })
    await message.getByText('Bcc: books@acme.example').waitFor()
    await message.getByText('X-Invoice: 7').waitFor()
    await message.getByRole('button', { name: 'Show the plain text' }).click()
    await message.getByText('Please pay.').waitFor()
    await audit()
  },
)
