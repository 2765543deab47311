// What providers report, in the dashboard: on messages, on integrations and on Home.
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { buildDashboard, openStory, type Story } from '../../../support/dashboard/dashboard.ts'
import { useReceiver } from '../../../support/delivery/receiver.ts'
import { byTelnyx, type SignedRequest, telnyxKey } from '../../../support/reports/signed.ts'
import { until } from '../../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)
const receiver = useReceiver()

const settings = { ALLOW_PRIVATE_ADDRESSES: 'on', BASE_URL: 'https://gateway.example.com' }

const act = (mutation: string, type: string) =>
  `mutation ($input: ${type}!) { ${mutation}(input: $input) { userErrors { message field } } }`

async function done({ ask }: Story, mutation: string, type: string, input: object): Promise<void> {
  expect(Object.values(Object(await ask(act(mutation, type), { input })))).toEqual([{ userErrors: [] }])
}

/** Sends a request of a provider to the gateway, at the path of a URL with another origin. */
async function report({ address }: Story, url: string, { body, headers = {} }: SignedRequest): Promise<void> {
  const { pathname, search } = new URL(url)
  const response = await fetch(`${address}${pathname}${search}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  expect(response.ok).toBe(true)
}

const sent = z.object({ deliveries: z.object({ nodes: z.array(z.object({ id: z.string(), status: z.string() })) }) })

/** Sends an email through Postmark. @returns the id of the delivery. */
async function sendEmail(story: Story): Promise<string> {
  receiver.answer(200, { ErrorCode: 0, Message: 'OK', MessageID: 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817' })
  await done(story, 'createIntegration', 'CreateIntegrationInput', {
    ...{ identifier: 'mail', providerId: 'POSTMARK' },
    credentials: { apiKey: 'key', from: 'news@example.com', baseUrl: receiver.url },
  })
  await done(story, 'createWorkflow', 'CreateWorkflowInput', {
    ...{ identifier: 'news', name: 'News', steps: [{ email: { subject: 'News', body: 'Hello' } }] },
  })
  await done(story, 'triggerEvent', 'TriggerEventInput', {
    ...{ workflowIdentifier: 'news', transactionId: 'news-1' },
    to: [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }],
  })
  return until(async () => {
    const { deliveries } = sent.parse(await story.ask('{ deliveries { nodes { id status } } }'))
    return deliveries.nodes.find(({ status }) => status === 'SENT')?.id
  })
}

test('someone sets up the reports of a provider, and sees the bounce of a message, and the rate on Home', async ({
  skip,
}) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  const dialog = page.getByRole('dialog')
  await sendEmail(story)
  await visit('/deliveries?status=FAILED')
  await page.getByRole('button', { name: 'Retry all that match' }).waitFor()
  await visit('/deliveries?status=FAILED&receipt=BOUNCED')
  await page.getByText(/^Receipts are about messages that were sent/).waitFor()
  expect(await page.getByRole('button', { name: 'Retry all that match' }).count()).toBe(0)
  await visit('/integrations/mail')
  await page.getByRole('row', { name: /State Not set up The URL has no token/ }).waitFor()
  await page.getByRole('row', { name: /Set-up Server, message stream, Webhooks/ }).waitFor()
  await page.getByRole('button', { name: 'Create a new token' }).click()
  const url = await dialog.getByRole('textbox', { name: 'URL with its token' }).inputValue()
  expect(url).toMatch(/^https:\/\/gateway\.example\.com\/.*\?token=/)
  await audit()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: 'State No verified report yet' }).waitFor()
  await audit()

  await visit('/events/news-1')
  const message = page.getByRole('region', { name: 'Message to ada@example.com' })
  await message.waitFor()
  await report(story, url, {
    body: JSON.stringify({
      ...{ RecordType: 'Bounce', ID: 42, Type: 'HardBounce', Email: 'ada@example.com' },
      MessageID: 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817',
      Description: 'The server was unable to deliver your message',
      Details: '550 5.1.1 no such address',
      BouncedAt: new Date().toISOString(),
    }),
  })
  await message.getByText('Bounced', { exact: true }).waitFor()
  await message.getByText(/^The message bounced/).waitFor()
  await message.getByRole('list', { name: 'Reports of the provider' }).getByText('no such address').waitFor()
  await audit()

  await visit('/')
  const rates = page.getByRole('region', { name: 'Bounces and complaints' })
  await rates.getByText('More than 5% bounce').waitFor()
  await audit()
  await rates.getByRole('link', { name: '1 bounced' }).click()
  await page.getByRole('row', { name: /news-1.*Sent Bounced/ }).waitFor()
  await page.getByRole('combobox', { name: 'Receipt' }).fill('Complained')
  await page.getByRole('option', { name: 'Complained' }).click()
  await page.getByRole('row', { name: /news-1/ }).waitFor()
  await visit('/deliveries?receipt=COMPLAINED')
  await page.getByRole('heading', { name: 'No message matches' }).waitFor()
  await visit('/integrations/mail')
  await page.getByRole('row', { name: 'State Verified' }).waitFor()
})

const integration = z.object({ integration: z.object({ inboundWebhook: z.object({ url: z.string() }) }) })

test('someone reads the texts that arrive at an integration, and sets what is answered', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, ask, audit } = story
  const dialog = page.getByRole('dialog')
  await done(story, 'createIntegration', 'CreateIntegrationInput', {
    ...{ identifier: 'texts', providerId: 'TELNYX' },
    credentials: { apiKey: 'key', from: '+15550002', webhookSigningKey: telnyxKey, baseUrl: receiver.url },
  })
  await visit('/integrations/texts')
  await page.getByRole('heading', { name: 'No texts yet' }).waitFor()
  await page.getByRole('button', { name: 'Edit replies' }).click()
  await dialog.getByRole('combobox', { name: 'Further words for STOP' }).fill('halt')
  await page.keyboard.press('Enter')
  await dialog.getByRole('textbox', { name: 'Answer to HELP' }).fill('Call 0800 12345.')
  await audit()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Words for STOP .*, and halt/ }).waitFor()
  await page.getByRole('row', { name: 'Answer to HELP Call 0800 12345.' }).waitFor()

  const { url } = integration.parse(await ask('{ integration(identifier: "texts") { inboundWebhook { url } } }'))
    .integration.inboundWebhook
  for (const [index, text] of ['Where is my order?', 'Halt'].entries()) {
    const payload = {
      ...{ id: `7ee4241c-f127-47e5-9c34-3aac291f805${index}`, direction: 'inbound', text, type: 'SMS' },
      from: { phone_number: '+4915123456789' },
      to: [{ phone_number: '+15550002' }],
    }
    const data = {
      ...{ event_type: 'message.received', id: `bf6307bd-884d-4c1f-b6ea-c62b8c495d3${index}`, record_type: 'event' },
      ...{ occurred_at: new Date().toISOString(), payload },
    }
    await report(story, url, byTelnyx({ data }, new Date()))
  }
  await page.reload()
  await page.getByRole('row', { name: /\+4915123456789.*Where is my order\?/ }).waitFor()
  await page.getByRole('row', { name: /\+4915123456789.*Halt STOP/ }).waitFor()
  await audit()
})
