// The dashboard for read-only users: it offers no actions that write.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

/** Each page, and a link that it shows once it is loaded. */
const pages = [
  ['/topics', 'news'],
  ['/topics/news', 'tk=news:si=ada:ctx=tenant:acme'],
  ['/topics/news/subscriptions/tk%3Dnews%3Asi%3Dada%3Actx%3Dtenant%3Aacme', 'ada'],
  ['/contexts', 'tenant:acme'],
  ['/contexts/tenant%3Aacme', 'first'],
  ['/channel-endpoints', 'hook'],
  ['/channel-endpoints/hook', 'tools'],
  ['/integrations', 'tools'],
  ['/integrations/tools', 'hook'],
] as const

test('a reader sees lists and details, and no button that writes', async ({ skip }) => {
  const { page, visit, ask, audit, becomeReader } = await openStory(skip)
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    createTopicSubscriptions(input: {
      topicKey: "news", contexts: [{ type: "tenant", identifier: "acme" }], subscriptions: [{ subscriberId: "ada" }]
    }) { userErrors { message } }
    createWorkflow(input: { identifier: "welcome", name: "Welcome" }) { userErrors { message } }
    triggerEvent(input: {
      workflowIdentifier: "welcome", transactionId: "first", to: [{ subscriber: { subscriberId: "ada" } }]
      contexts: [{ type: "tenant", identifier: "acme" }]
    }) { userErrors { message } }
    createIntegration(input: { providerId: TOOL_WEBHOOK, identifier: "tools" }) { userErrors { message } }
    createChannelEndpoint(input: {
      identifier: "hook", subscriberId: "ada", integrationIdentifier: "tools"
      endpoint: { toolWebhook: { url: "https://example.com/hook" } }
    }) { userErrors { message } }
  }`)
  const writing = page.getByRole('button', { name: /^(Create|Edit|Delete|Add|Send)/ })
  // A chart is shown as a table without writing anything.
  const setting = page.getByRole('switch', { name: /^(?!Table$)/ })
  await visit('/integrations/tools')
  await page.getByRole('link', { name: 'hook', exact: true }).waitFor()
  expect(await writing.count()).toBe(4)

  await becomeReader()
  const done = await measureStory(page, 'a reader looks at nine pages')
  for (const [path, link] of pages) {
    await visit(path)
    await page.getByRole('main').getByRole('link', { name: link, exact: true }).waitFor()
    expect(await writing.count()).toBe(0)
    expect(await setting.count()).toBe(0)
    await audit()
  }
  await done()
})
