// Subscribers in the dashboard: the list, and the tabs of one subscriber.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const createAda = `mutation {
  createSubscriber(input: { subscriberId: "ada", firstName: "Ada", lastName: "Byron", phone: "+4915123456789" }) {
    userErrors { message }
  }
}`

const createWelcome = `mutation {
  createWorkflow(input: {
    identifier: "welcome", name: "Welcome", steps: [{ inApp: {
      subject: "Hello"
      body: "Welcome, {{subscriber.firstName}}."
      actions: [{ label: "Take the tour", url: "https://app.example/tour" }]
    } }]
  }) { userErrors { message } }
}`

/** A workflow that uses three channels, and one that uses only one of them. */
const createForPreferences = `mutation {
  welcome: createWorkflow(input: { identifier: "welcome", name: "Welcome", steps: [
    { inApp: { body: "Hello" } }, { email: { subject: "Hello", body: "Hello" } }, { sms: { body: "Hello" } }
  ] }) { userErrors { message } }
  news: createWorkflow(input: { identifier: "news", name: "News", steps: [{ inApp: { body: "News" } }] }) {
    userErrors { message }
  }
}`

const welcomeAda = `mutation {
  triggerEvent(input: { workflowIdentifier: "welcome", to: [{ subscriber: { subscriberId: "ada" } }] }) { userErrors { message } }
}`

test('someone creates a subscriber, finds it by a part of the phone number, edits it and deletes it', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await visit('/subscribers')
  await page.getByRole('heading', { name: 'No subscribers yet' }).waitFor()

  await page.getByRole('button', { name: 'Create subscriber' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Subscriber id' }).fill('ada')
  await dialog.getByRole('textbox', { name: 'First name' }).fill('Ada')
  await dialog.getByRole('textbox', { name: 'Email' }).fill('ada')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(/email must/i).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Email' }).fill('ada@example.com')
  await dialog.getByRole('textbox', { name: 'Phone' }).fill('+49 151 2345')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Ada' }).waitFor()

  await page.getByRole('link', { name: 'Subscribers' }).first().click()
  await page.getByRole('searchbox', { name: /Search/ }).fill('151 23')
  await page.getByRole('link', { name: 'ada', exact: true }).waitFor()
  await page.getByRole('searchbox', { name: /Search/ }).fill('grace')
  await page.getByRole('heading', { name: 'No subscriber matches' }).waitFor()
  await page.getByRole('searchbox', { name: /Search/ }).fill('ada@ex')
  await page.getByRole('link', { name: 'ada', exact: true }).click()

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Last name' }).fill('Byron')
  await dialog.getByRole('textbox', { name: 'Phone' }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ada Byron' }).waitFor()
  expect(await ask('{ subscriber(subscriberId: "ada") { lastName phone } }')).toEqual({
    subscriber: { lastName: 'Byron', phone: null },
  })

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText(/topic subscriptions are deleted too/).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No subscribers yet' }).waitFor()
})

test('someone opens a person while the search still waits for the end of the typing', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(createAda)
  await visit('/subscribers')
  const ada = page.getByRole('link', { name: 'ada', exact: true })
  await ada.waitFor()
  let load = () => {}
  const loading = new Promise<void>((resolve) => (load = resolve))
  await page.route('**/subscriber-page-*.js', async (route) => {
    await loading
    await route.continue()
  })
  await page.clock.install()
  await page.getByRole('searchbox', { name: /Search/ }).fill('ad')
  await ada.click()
  await page.clock.runFor(1_000)
  load()
  await page.clock.resume()
  await page.getByRole('heading', { name: 'Ada Byron' }).waitFor()
})

test('someone adds, appends, replaces and deletes credentials', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createAda)
  const credentials = () => ask('{ subscriber(subscriberId: "ada") { channels { deviceTokens webhookUrl } } }')
  await visit('/subscribers/ada/credentials')
  await page.getByRole('heading', { name: 'No credentials yet' }).waitFor()

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add credentials' }).click()
  await dialog.getByRole('combobox', { name: 'Provider' }).fill('Firebase')
  await page.getByRole('option', { name: /Firebase/ }).click()
  await dialog.getByRole('textbox', { name: 'Device tokens' }).fill('one\ntwo')
  await audit()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const firebase = page.getByRole('region', { name: /Firebase/ })
  await firebase.getByText('two').waitFor()
  await audit()

  await firebase.getByRole('button', { name: 'Append' }).click()
  await dialog.getByRole('textbox', { name: 'Device tokens' }).fill('three')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await firebase.getByText('three').waitFor()
  await firebase.getByRole('button', { name: 'Remove the device token two' }).click()
  await firebase.getByText('two').waitFor({ state: 'detached' })
  expect(await credentials()).toEqual({
    subscriber: { channels: [{ deviceTokens: ['one', 'three'], webhookUrl: null }] },
  })

  await firebase.getByRole('button', { name: 'Replace' }).click()
  await dialog.getByRole('textbox', { name: 'Device tokens' }).fill('four')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await firebase.getByText('four').waitFor()
  await firebase.getByText('three').waitFor({ state: 'detached' })

  await firebase.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No credentials yet' }).waitFor()
  expect(await credentials()).toEqual({ subscriber: { channels: [] } })
})

test('someone changes preferences, for each exact set of contexts, and sees which rule decided', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createAda)
  await ask(createForPreferences)
  await visit('/subscribers/ada/preferences')
  const row = page.getByRole('row', { name: /Welcome/ })
  await row.getByText('default').first().waitFor()
  const news = page.getByRole('row', { name: /News/ })
  expect(await news.getByRole('switch').count()).toBe(1)
  expect(await news.getByText('not used').count()).toBe(2)
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Workflow', 'In-app', 'Email', 'SMS'])

  await row.getByRole('switch', { name: 'Email for Welcome' }).click()
  await row.getByText('own choice').waitFor()
  await page.getByRole('switch', { name: 'SMS for All workflows' }).click()
  await row.getByText('choice for all').waitFor()
  await audit()
  const settings = `{
    subscriber(subscriberId: "ada") {
      preferences { workflows { channels { channel enabled decidedBy } } }
      acme: preferences(contextKeys: ["tenant:acme"]) { enabled }
    }
  }`
  expect(await ask(settings)).toMatchObject({
    subscriber: {
      preferences: {
        workflows: [
          {
            channels: expect.arrayContaining([
              { channel: 'EMAIL', enabled: false, decidedBy: 'SUBSCRIBER_WORKFLOW' },
              { channel: 'SMS', enabled: false, decidedBy: 'SUBSCRIBER_GLOBAL' },
            ]),
          },
          expect.anything(),
        ],
      },
    },
  })
  await row.getByRole('button', { name: 'Remove the choice Email for Welcome' }).click()
  await row.getByText('own choice').waitFor({ state: 'detached' })

  await page.getByRole('combobox', { name: 'Contexts' }).fill('tenant:acme')
  await page.keyboard.press('Enter')
  await row.getByText('choice for all').waitFor({ state: 'detached' })
  await page.getByRole('switch', { name: 'Notifications' }).click()
  await page.getByText(/Off: only critical workflows/).waitFor()
  expect(await ask(settings)).toMatchObject({ subscriber: { acme: { enabled: false } } })

  const sets = page.getByRole('radiogroup', { name: 'Contexts of this subscriber' })
  await sets.getByText('Without context').click()
  await row.getByText('default').first().waitFor()
  await row.getByText('choice for all').waitFor()
  await page.getByText('choice for all: The subscriber chose this for all workflows.').waitFor()
  await audit()
  await sets.getByText('tenant:acme').click()
  await page.getByText(/Off: only critical workflows/).waitFor()

  const search = page.getByRole('searchbox', { name: /Search workflows/ })
  await search.fill('new')
  await row.waitFor({ state: 'detached' })
  await news.waitFor()
  await search.fill('nothing')
  await page.getByText('No identifier or name of a workflow contains “nothing”.').waitFor()
  await audit()
})

test('someone changes several preferences without waiting for each', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(createAda)
  await ask(createForPreferences)
  await visit('/subscribers/ada/preferences')
  const switches = ['In-app', 'Email', 'SMS'].map((channel) =>
    page.getByRole('switch', { name: `${channel} for Welcome` }),
  )
  // No answer arrives before all of them are off.
  const held: (() => void)[] = []
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('UpdateSubscriberPreferences') === true) {
      await new Promise<void>((resolve) => held.push(resolve))
    }
    await route.continue()
  })
  for (const one of switches) {
    await one.click()
    expect(await one.isChecked()).toBe(false)
  }
  await expect.poll(() => held.length).toBe(3)
  for (const release of held) release()
  const row = page.getByRole('row', { name: /Welcome/ })
  await expect.poll(() => row.getByText('own choice').count()).toBe(3)
  for (const one of switches) expect(await one.isChecked()).toBe(false)
})

test('someone subscribes a person to a topic, ends the subscription, and brings it back', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createAda)
  await visit('/subscribers/ada/topics')
  await page.getByRole('heading', { name: 'No topic subscriptions yet' }).waitFor()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Subscribe to a topic' }).first().click()
  await dialog.getByRole('combobox', { name: 'Topic' }).fill('release-notes')
  await dialog.getByRole('combobox', { name: 'Contexts' }).fill('tenant:acme')
  await page.keyboard.press('Enter')
  await audit()
  await dialog.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('link', { name: 'release-notes', exact: true }).waitFor()
  await page.getByRole('link', { name: 'tenant:acme', exact: true }).waitFor()

  await ask(createWelcome)
  const condition = { '==': [{ var: 'payload.plan' }, 'pro'] }
  await ask(
    `mutation ($identifier: String!, $condition: JSONObject!) {
      updateTopicSubscription(input: { topicKey: "release-notes", identifier: $identifier, name: "Of Ada", preferences: [
        { group: { workflowIdentifiers: ["welcome"], tags: [], enabled: false } }
        { workflow: { workflowIdentifier: "welcome", enabled: true, condition: $condition } }
      ] }) { userErrors { message } }
    }`,
    { identifier: 'tk=release-notes:si=ada:ctx=tenant:acme', condition },
  )
  const stored = () =>
    ask(`{ topicSubscriptions { nodes {
      identifier name contextKeys preferences {
        __typename
        ... on TopicSubscriptionGroupPreference { enabled condition tags workflows { identifier } }
        ... on TopicSubscriptionWorkflowPreference { enabled condition workflow { identifier } }
      }
    } } }`)
  const before = await stored()
  await page.getByRole('button', { name: 'Delete the subscription to release-notes' }).click()
  await page.getByRole('heading', { name: 'No topic subscriptions yet' }).waitFor()
  expect(await stored()).toEqual({ topicSubscriptions: { nodes: [] } })
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Of Ada' }).waitFor()
  expect(await stored()).toEqual(before)
})

test('someone watches the feed of a person, and marks, snoozes, archives and deletes a notification', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createAda)
  await ask(createWelcome)
  await visit('/subscribers/ada/feed')
  await page.getByText('0 unread, 0 in total. Updates live.').waitFor()
  await audit()

  await ask(welcomeAda)
  await page.getByText('1 unread, 1 in total.').waitFor()
  const row = page.getByRole('row', { name: /Welcome, Ada/ })
  await row.getByText('unread').waitFor()
  const choose = async (action: string) => {
    await row.getByRole('button', { name: 'Actions for Hello' }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await choose('Mark as read')
  await page.getByText('0 unread, 1 in total.').waitFor()
  await choose('Mark as unread')
  await page.getByText('1 unread, 1 in total.').waitFor()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('0 unread, 1 in total.').waitFor()
  await choose('Snooze for a day')
  await page.getByText('0 unread, 0 in total.').waitFor()
  await page.getByText('Snoozed', { exact: true }).click()
  await row.getByText('Returns').waitFor()
  await row.getByText('Take the tour', { exact: true }).waitFor()
  const { subscriber } = (await ask(
    '{ subscriber(subscriberId: "ada") { notifications(filter: { snoozed: true }) { nodes { id } } } }',
  )) as { subscriber: { notifications: { nodes: [{ id: string }] } } }
  const [{ id }] = subscriber.notifications.nodes
  await ask(`mutation {
    completeNotificationAction(input: { id: "${id}", action: PRIMARY }) { userErrors { message } }
  }`)
  await choose('Return now')
  await page.getByRole('heading', { name: 'No notifications' }).waitFor()
  await page.getByText('All', { exact: true }).click()
  await page.getByText('1 unread, 1 in total.').waitFor()
  await row.getByText('Take the tour: completed').waitFor()
  await audit()
  await choose('Archive')
  await page.getByText('0 unread, 0 in total.').waitFor()
  await page.getByText('Archived', { exact: true }).click()
  await choose('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No notifications' }).waitFor()
})

test('someone reads the activity of a person, also by keyboard', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(createAda)
  await ask(createWelcome)
  await ask(welcomeAda)
  await visit('/subscribers/ada')
  await page.getByRole('tab', { name: 'Profile' }).press('ArrowLeft')
  await page.getByRole('tab', { name: 'Data and privacy' }).press('ArrowLeft')
  await page.getByRole('tab', { name: 'Activity' }).press('Enter')
  const row = page.getByRole('row', { name: /welcome/ })
  await row.getByRole('link', { name: 'welcome' }).waitFor()
  await page.getByRole('combobox', { name: 'Workflow' }).click()
  await page.getByRole('option', { name: 'Welcome' }).click()
  await page.waitForURL(/workflow=welcome/)
  await row.getByRole('link', { name: 'welcome' }).waitFor()
  await page.getByLabel('Until').fill('2020-01-01T12:00')
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await row.getByRole('link', { name: 'welcome' }).waitFor()

  await visit('/subscribers/ada/devices')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

test('someone creates a channel endpoint for a person', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(createAda)
  await ask(
    'mutation { createIntegration(input: { identifier: "tools", providerId: TOOL_WEBHOOK }) { userErrors { message } } }',
  )
  await visit('/subscribers/ada')
  await page.getByRole('tab', { name: 'Channel endpoints' }).click()
  await page.getByRole('heading', { name: 'No channel endpoints yet' }).waitFor()
  await page.getByRole('button', { name: 'Create channel endpoint' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('combobox', { name: 'Subscriber' }).inputValue()).toBe('ada')
  await dialog.getByRole('combobox', { name: 'Integration' }).fill('tools')
  await dialog.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Tool webhook' }).click()
  await dialog.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook')
  await dialog.getByRole('textbox', { name: 'Identifier', exact: true }).fill('hook')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'hook', exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'hook', exact: true }).waitFor()
})

test('someone exports everything about a person, then erases the person', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createAda)
  await visit('/subscribers/ada/data')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the export' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('ada.json')
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
    subscriber: { phone: '+4915123456789' },
  })

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Erase the person' }).click()
  await dialog.getByRole('textbox', { name: 'Type the subscriber id' }).fill('grace')
  await dialog.getByRole('button', { name: 'Erase' }).click()
  await dialog.getByText('This is not the id of the subscriber.').waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Type the subscriber id' }).fill('ada')
  await dialog.getByRole('button', { name: 'Erase' }).click()
  await page.getByText(/the last trace of the person is erased/).waitFor()
  await audit()
  await visit('/subscribers/ada')
  await page.getByText('There is no subscriber with the id ada').waitFor()
  expect(await ask('{ subscribers { totalCount } }')).toEqual({ subscribers: { totalCount: 0 } })
})

test('someone with a read-only key sees everything about a person, and nothing that writes', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(createAda)
  await ask(createWelcome)
  await ask(welcomeAda)
  await ask(`mutation {
    setSubscriberCredentials(input: { subscriberId: "ada", providerId: FCM, credentials: { deviceTokens: ["one"] } }) {
      userErrors { message }
    }
    createTopicSubscriptions(input: { topicKey: "news", subscriptions: [{ subscriberId: "ada" }] }) {
      userErrors { message }
    }
  }`)
  const { createApiKey } = (await ask(
    'mutation { createApiKey(input: { name: "Support", access: READ_ONLY }) { newApiKey { key } } }',
  )) as { createApiKey: { newApiKey: { key: string } } }
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill(createApiKey.newApiKey.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()

  const written = { name: /create|import|edit|delete|add|append|replace|remove|subscribe to|mark|erase|actions/i }
  const tabs = {
    '': page.getByText('+4915123456789'),
    '/credentials': page.getByText('one', { exact: true }),
    '/preferences': page.getByRole('row', { name: /Welcome/ }),
    '/topics': page.getByRole('link', { name: 'news' }),
    '/endpoints': page.getByRole('heading', { name: 'No channel endpoints yet' }),
    '/feed': page.getByText('1 unread, 1 in total.'),
    '/activity': page.getByRole('link', { name: 'welcome' }),
    '/data': page.getByRole('button', { name: 'Download the export' }),
  }
  for (const [tab, sign] of Object.entries(tabs)) {
    await visit(`/subscribers/ada${tab}`)
    await sign.first().waitFor()
    const main = page.getByRole('main')
    expect([tab, await main.getByRole('button', written).count()]).toEqual([tab, 0])
    expect([tab, await main.getByRole('switch').count()]).toEqual([tab, 0])
  }
  await audit()
  await visit('/subscribers')
  await page.getByRole('link', { name: 'ada', exact: true }).waitFor()
  expect(await page.getByRole('main').getByRole('button', written).count()).toBe(0)
  await visit('/import/subscribers')
  await page.getByRole('heading', { name: 'You cannot import' }).waitFor()
})
