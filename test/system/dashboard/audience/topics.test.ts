// Topics in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

test('someone creates a topic, renames it and deletes it', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await visit('/topics')
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()

  await page.getByRole('button', { name: 'Create topic' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Key' }).fill('release notes')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(/key must/i).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Key' }).fill('release-notes')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'release-notes' }).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Release notes')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Release notes' }).waitFor()

  await page.getByRole('link', { name: 'Topics' }).first().click()
  await page.getByRole('link', { name: 'release-notes' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
  expect(await ask('{ topics { totalCount } }')).toEqual({ topics: { totalCount: 0 } })
})

test('someone subscribes a person who is found by name, limits the workflows, and removes the person', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(`mutation {
    createSubscribers(input: { subscribers: [
      { subscriberId: "u-1", firstName: "Ada", lastName: "Lovelace", phone: "+44 20 7946 0018" }
      { subscriberId: "u-2", firstName: "Grace", lastName: "Hopper" }
    ] }) { userErrors { message } }
    createTopic(input: { key: "news" }) { userErrors { message } }
    createWorkflow(input: { identifier: "digest", name: "Daily digest", tags: ["daily"] }) { userErrors { message } }
    createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } }
  }`)
  await visit('/topics/news')
  await page.getByRole('heading', { name: 'No subscriptions yet' }).waitFor()
  await page.getByRole('button', { name: 'Add subscription' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Subscriber' }).fill('lovel')
  await page.getByRole('option', { name: 'Ada Lovelace' }).click()
  await dialog.getByRole('combobox', { name: 'Contexts' }).fill('acm')
  await page.getByRole('option', { name: 'tenant:acme' }).click()
  await dialog.getByRole('button', { name: 'Add preference' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Enter a workflow or a tag.').waitFor()
  await audit()
  await dialog.getByRole('combobox', { name: 'Workflows' }).fill('dig')
  await page.getByRole('option', { name: 'digest' }).click()
  await dialog.getByText('If …').click()
  await dialog.getByText('JSON logic').click()
  await dialog.getByRole('textbox', { name: 'JSON logic' }).fill('{"==": [{"var": "payload.level"}, "high"]}')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()

  await page.getByRole('link', { name: 'tk=news:si=u-1:ctx=tenant:acme' }).click()
  await page.getByRole('link', { name: 'Daily digest' }).waitFor()
  await page.getByText('payload.level').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada at Acme')
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('daily')
  await dialog.getByRole('combobox', { name: 'Tags' }).press('Enter')
  await dialog.getByRole('switch', { name: 'These workflows are delivered' }).click({ force: true })
  await audit()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ada at Acme' }).waitFor()
  await page.getByText('workflows tagged daily').waitFor()
  await page.getByText('Not delivered').waitFor()

  await page.getByRole('link', { name: 'Topic news' }).first().click()
  await page.getByRole('combobox', { name: 'Subscriber' }).fill('hopper')
  await page.getByRole('option', { name: 'Grace Hopper' }).click()
  await page.getByRole('heading', { name: 'No subscription matches' }).waitFor()
  expect(page.url()).toContain('subscriber=u-2')
  await page.getByRole('button', { name: 'Clear the subscriber' }).click()
  await page.getByRole('combobox', { name: 'Exact contexts' }).click()
  await page.getByRole('option', { name: 'Without contexts' }).click()
  await page.getByRole('heading', { name: 'No subscription matches' }).waitFor()
  await page.getByRole('combobox', { name: 'Exact contexts' }).fill('acme')
  await page.getByRole('option', { name: 'tenant:acme' }).click()
  await page.getByRole('link', { name: 'Ada at Acme' }).click()
  // The page of the topic has such a button too.
  await page.getByRole('heading', { name: 'Ada at Acme' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No subscriptions yet' }).waitFor()
  expect(await ask('{ topicSubscriptions { totalCount } }')).toEqual({ topicSubscriptions: { totalCount: 0 } })
})

test('a list that was read before a change and arrives later does not hide the change', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    createTopic(input: { key: "news" }) { userErrors { message } }
  }`)
  let isFirst = true
  let deliver = () => {}
  const delivered = new Promise<void>((resolve) => (deliver = resolve))
  await page.route('**/graphql', async (route) => {
    const isHeld = isFirst && route.request().postData()?.includes('query TopicSubscriptions(') === true
    if (!isHeld) return route.continue()
    isFirst = false
    const response = await route.fetch()
    await delivered
    await route.fulfill({ response })
  })
  await visit('/topics/news')
  await page.getByRole('button', { name: 'Add subscription' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Subscriber' }).fill('ada')
  await page.getByRole('option', { name: 'ada' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const added = page.getByRole('link', { name: 'tk=news:si=ada' })
  await added.waitFor()
  const arrived = page.waitForEvent('requestfinished')
  deliver()
  await arrived
  expect(await added.count()).toBe(1)
})
