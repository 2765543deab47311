// Pages of the dashboard on a narrow screen, with the longest values that the graph accepts.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const longest = 'm'.repeat(255)
const email = `${'e'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(57)}.org`
const contextKey = `${'t'.repeat(100)}:${'i'.repeat(100)}`

const act = (mutation: string, type: string) =>
  `mutation ($input: ${type}!) { ${mutation}(input: $input) { userErrors { message field } } }`

test('no page and no dialog is wider than 390 pixels, and what has no column there is still shown', async ({
  skip,
}) => {
  const story = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'on' })
  const { page, ask, visit, audit } = story
  const done = async (mutation: string, type: string, input: object) => {
    expect(Object.values(Object(await ask(act(mutation, type), { input })))).toEqual([{ userErrors: [] }])
  }
  await done('createContext', 'CreateContextInput', { type: 't'.repeat(100), identifier: 'i'.repeat(100) })
  await done('createSubscriber', 'CreateSubscriberInput', {
    ...{ subscriberId: longest, firstName: longest, lastName: longest, email, phone: '1'.repeat(255) },
    data: { [longest]: longest },
  })
  const key = 'k'.repeat(64)
  await done('createCategory', 'CreateCategoryInput', { key, name: longest, description: 'd'.repeat(1_000) })
  await done('createCategory', 'CreateCategoryInput', { key: 'other', name: 'Other' })
  await done('updateSubscriberPreferences', 'UpdateSubscriberPreferencesInput', {
    ...{ subscriberId: longest, categoryKey: key, channels: [{ channel: 'EMAIL', enabled: true }] },
    contexts: [{ type: 't'.repeat(100), identifier: 'i'.repeat(100) }],
  })
  await done('createTopic', 'CreateTopicInput', { key: longest, name: longest })
  await done('createTopicSubscriptions', 'CreateTopicSubscriptionsInput', {
    ...{ topicKey: longest, subscriptions: [{ subscriberId: longest, identifier: longest }] },
  })
  const webhookUrl = `${receiver.url}/${'u'.repeat(1_900)}`
  await done('createIntegration', 'CreateIntegrationInput', {
    ...{ identifier: longest, name: longest, providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl } },
  })
  await done('createIntegration', 'CreateIntegrationInput', {
    ...{ identifier: 'chat', providerId: 'CHAT_WEBHOOK', credentials: { webhookUrl: receiver.url } },
  })
  await done('createChannelEndpoint', 'CreateChannelEndpointInput', {
    ...{ identifier: longest, subscriberId: longest, integrationIdentifier: 'chat' },
    endpoint: { webhook: { url: webhookUrl, channel: longest } },
  })
  await done('createWorkflow', 'CreateWorkflowInput', {
    ...{ identifier: longest, name: longest, categoryKey: key, tags: [longest.slice(0, 64)] },
    steps: [
      { email: { stepId: longest.slice(0, 100), subject: longest, body: longest } },
      { inApp: { body: longest } },
    ],
  })
  receiver.answer(400, longest)
  await done('createWebhookSubscription', 'CreateWebhookSubscriptionInput', {
    ...{ identifier: longest, url: webhookUrl, description: 'd'.repeat(500), eventTypes: ['MESSAGE_SENT'] },
    contextKeys: [contextKey],
  })
  await done('sendTestWebhook', 'SendTestWebhookInput', { identifier: longest })
  await done('triggerEvent', 'TriggerEventInput', {
    ...{ workflowIdentifier: longest, transactionId: longest, to: [{ subscriber: { subscriberId: longest } }] },
    ...{ payload: { [longest]: longest }, contexts: [{ type: 't'.repeat(100), identifier: 'i'.repeat(100) }] },
  })

  await page.setViewportSize({ width: 390, height: 800 })
  const fits = async () => {
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(overflow, { timeout: 10_000, message: `pixels too wide: ${page.url()}` }).toBe(0)
  }
  await visit(`/events/${longest}`)
  await page.getByText('Failed').first().waitFor()
  await audit()
  await page.setViewportSize({ width: 390, height: 800 })

  const tabs = ['', '/credentials', '/preferences', '/consent', '/topics', '/endpoints', '/feed', '/activity', '/data']
  const pages = [
    ...[
      '/',
      '/events',
      '/deliveries',
      '/captured',
      '/workflows',
      '/subscribers',
      '/topics',
      '/categories',
      '/contexts',
      '/channel-endpoints',
    ],
    ...['/webhooks', `/webhooks/${longest}`],
    ...['/integrations', '/environments', '/unprocessed-triggers', '/import/subscribers'],
    ...['/suppressions', '/import/suppressions'],
    ...tabs.map((tab) => `/subscribers/${longest}${tab}`),
    `/categories/${key}`,
    ...[`/topics/${longest}`, `/topics/${longest}/subscriptions/${longest}`, `/contexts/${contextKey}`],
    ...[`/channel-endpoints/${longest}`, `/integrations/${longest}`, `/workflows/${longest}`],
    `/workflows/${longest}?tab=runs`,
  ]
  const measured = await measureStory(page, 'pages with the longest values')
  for (const path of pages) {
    await visit(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await fits()
  }
  await measured()

  // The current tab is in view, and what has no column stands in the first one.
  await visit(`/subscribers/${longest}/activity`)
  const tab = await page.getByRole('tab', { name: 'Activity', selected: true }).boundingBox()
  expect(tab && tab.x >= 0 && tab.x + tab.width <= 390).toBe(true)
  await page.getByRole('cell', { name: /Workflow: m+.*Outcome: .*When: .*/ }).waitFor()

  // The banner is that of the page.
  await visit('/topics')
  await page.getByRole('button', { name: 'Create topic' }).click()
  await page.getByRole('dialog').waitFor()
  await fits()
  expect(await page.getByRole('banner').count()).toBe(1)
})
