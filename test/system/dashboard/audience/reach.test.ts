// The answer to "May I write to this person?" on the page of a subscriber.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

test('the page of a person says at first sight whether one may write to them, and if not, since when and why', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada", email: "ada@example.com", phone: "+4915112345678" }) {
      userErrors { message }
    }
    grace: createSubscriber(input: { subscriberId: "grace" }) { userErrors { message } }
    linus: createSubscriber(input: { subscriberId: "linus", phone: "+4915112345679" }) { userErrors { message } }
    silent: updateSubscriberPreferences(input: {
      subscriberId: "linus", channels: [{ channel: SMS, enabled: false }]
    }) { userErrors { message } }
    createCategory(input: { key: "news", name: "Product news" }) { userErrors { message } }
    createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } }
    createWorkflow(input: { identifier: "order", name: "Order", categoryKey: "news", steps: [
      { email: { subject: "Order", body: "Hello" } }, { inApp: { body: "Hello" } },
      { push: { subject: "Order", body: "Hello" } }, { chat: { body: "Hello" } }
    ] }) { userErrors { message } }
  }`)
  await visit('/subscribers/ada')
  const answers = page.getByRole('region', { name: 'May I write to them?' })
  const row = (name: string) => answers.getByRole('row', { name })
  await row('Email Yes ada@example.com').waitFor()
  await row('SMS Yes +4915112345678').waitFor()
  await row('In-app Yes').waitFor()
  await row('Push No No device, webhook URL or channel endpoint').waitFor()
  await row('Chat No No device, webhook URL or channel endpoint').waitFor()

  await ask(`mutation {
    createSuppression(input: {
      channel: EMAIL, address: "ada@example.com", reason: HARD_BOUNCE, detail: "550 5.1.1 unknown"
    }) { userErrors { message } }
    other: createSuppression(input: {
      channel: SMS, address: "+4915112345678", reason: COMPLAINT, contexts: [{ type: "tenant", identifier: "acme" }]
    }) { userErrors { message } }
    news: updateSubscriberPreferences(input: {
      subscriberId: "ada", categoryKey: "news", channels: [{ channel: EMAIL, enabled: false }]
    }) { userErrors { message } }
    device: setSubscriberCredentials(input: {
      subscriberId: "ada", providerId: FCM, credentials: { deviceTokens: ["token-1"] }
    }) { userErrors { message } }
    slack: createIntegration(input: { identifier: "slack", providerId: SLACK }) { userErrors { message } }
    endpoint: createChannelEndpoint(input: {
      subscriberId: "ada", integrationIdentifier: "slack",
      endpoint: { webhook: { url: "https://chat.example.com/ada" } }
    }) { userErrors { message } }
    inApp: updateSubscriberPreferences(input: {
      subscriberId: "ada", channels: [{ channel: IN_APP, enabled: false }]
    }) { userErrors { message } }
  }`)
  await page.reload()
  await row('Email No')
    .getByText(/Suppressed since .+: Hard bounce · 550 5\.1\.1 unknown/)
    .waitFor()
  await row('SMS Not always')
    .getByText(/under tenant:acme\s*: Complaint/)
    .waitFor()
  await row('In-app No')
    .getByText(/Turned off in general since .+ \(API or dashboard\)/)
    .waitFor()
  await row('Push Yes').waitFor()
  await row('Chat Yes').waitFor()
  await answers.getByText(/Not for Product news by Email since .+ \(API or dashboard\)/).waitFor()
  await audit()

  // No workflow sends text messages, but one may be added.
  await visit('/subscribers/linus')
  await row('SMS No +4915112345679').waitFor()

  await visit('/subscribers/grace')
  await row('Email No address').waitFor()
  await answers.getByRole('button', { name: 'Copy preference link' }).click()
  await page
    .getByText(/BASE_URL/)
    .first()
    .waitFor()
  expect(await ask('{ suppressions { totalCount } }')).toEqual({ suppressions: { totalCount: 2 } })
})
