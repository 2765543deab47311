// GraphiQL in a browser, as people use it: with an API key, with a session of the dashboard, and with the examples.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openPage } from '../support/dashboard/chromium.ts'
import { chromiumPath, noChromium } from '../support/dashboard/chromium-path.ts'
import { buildDashboard, openStory } from '../support/dashboard/dashboard.ts'
import { freshSettings, started } from '../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

const storageOf = (page: Page) =>
  page.evaluate(() => JSON.stringify([Object.entries(window.sessionStorage), Object.entries(window.localStorage)]))

const resultWindow = (page: Page) => page.locator('section[aria-label="Result Window"]')

/** Waits for both editors, as people do: GraphiQL ignores a click while they load. */
async function editorsOf(page: Page): Promise<void> {
  await page.locator('.graphiql-query-editor .view-lines').getByText('subscribers').waitFor()
  await resultWindow(page).locator('.monaco-editor').first().waitFor()
}

/** Runs the operation in the editor. @returns what GraphiQL shows. */
async function resultOf(page: Page, text: string): Promise<unknown> {
  await page.getByRole('button', { name: /^Execute query/ }).click()
  const result = resultWindow(page)
  await result.getByText(text).waitFor()
  // The editor renders spaces as non-breaking spaces.
  return JSON.parse((await result.locator('.view-lines').innerText()).replaceAll('\u00a0', ' '))
}

test('GraphiQL runs its default query with the API key printed on first start', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const { address, keys } = await started(await freshSettings())
  const page = await openPage(`${address}/graphql`)
  const loaded: string[] = []
  const errors: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.reload()

  const [key = ''] = keys
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Open GraphiQL' }).click()
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByText('A GraphQL schema provides a root type').waitFor()
  await editorsOf(page)
  expect(await resultOf(page, 'totalCount')).toEqual({
    data: { environment: { name: 'Development' }, subscribers: { totalCount: 0, nodes: [] } },
  })
  // The page must work without internet access.
  expect(loaded.filter((url) => !url.startsWith(address) && !url.startsWith(`blob:${address}`))).toEqual([])
  // The security policy blocks nothing that the page needs.
  expect(errors).toEqual([])
  expect(await storageOf(page)).not.toContain(key)

  // The key opened a session, so the dashboard of this tab is signed in too.
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('button', { name: 'Development' }).waitFor()
})

test('GraphiQL shows that a key is unknown', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const { address } = await started(await freshSettings())
  const page = await openPage(`${address}/graphql`)
  await page.getByLabel('API key').fill('unknown')
  await page.getByRole('button', { name: 'Open GraphiQL' }).click()
  await page.getByText('This API key does not exist, or it was revoked.').waitFor()
})

test('from the dashboard, GraphiQL opens with the session, and has examples in its history', async ({ skip }) => {
  const { page } = await openStory(skip)
  await page.getByRole('link', { name: 'GraphiQL' }).click()
  await editorsOf(page)
  await page.getByRole('button', { name: 'Show History' }).click()
  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('One person with everything').waitFor()
  await history.getByText('Create a workflow').click()
  await page.getByRole('button', { name: /^Execute query/ }).waitFor()
  expect(await resultOf(page, 'userErrors')).toEqual({
    data: { createWorkflow: { workflow: { identifier: 'welcome', name: 'Welcome' }, userErrors: [] } },
  })
})

test('GraphiQL shows the notifications of a subscription', async ({ skip }) => {
  const { page, address, ask } = await openStory(skip)
  await ask(
    `mutation {
      createWorkflow(input: { identifier: "news", name: "News", steps: [{ inApp: { body: "2.0 is out" } }] }) {
        userErrors { message }
      }
      createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    }`,
  )
  await page.goto(`${address}/graphql`)
  await editorsOf(page)
  await page.getByRole('button', { name: 'Show History' }).click()
  await page.getByRole('region', { name: 'History' }).getByText('Follow a feed').click()
  const opened = page.waitForResponse((response) => response.headers()['content-type'] === 'text/event-stream')
  await page.getByRole('button', { name: /^Execute query/ }).click()
  await opened
  await ask(
    `mutation {
      triggerEvent(input: { workflowIdentifier: "news", to: [{ subscriber: { subscriberId: "ada" } }] }) { userErrors { message } }
    }`,
  )
  await resultWindow(page).getByText('2.0 is out').waitFor()
})

test('GraphiQL asks for a key again when the session of the tab has ended', async ({ skip }) => {
  const { page, address, ask, allow } = await openStory(skip)
  // Browsers print every response with this status.
  allow(/the server responded with a status of 401/)
  const { createApiKey } = (await ask(
    'mutation { createApiKey(input: { name: "short-lived" }) { newApiKey { key apiKey { id } } } }',
  )) as { createApiKey: { newApiKey: { key: string; apiKey: { id: string } } } }
  const { key, apiKey } = createApiKey.newApiKey
  await page.getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  // Revoked here, because the pages of the dashboard follow events: their stream ends, and they forget the session.
  await page.goto(`${address}/graphql`)
  await page.getByRole('button', { name: 'Execute query' }).waitFor()
  await ask('mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { userErrors { message } } }', { id: apiKey.id })
  await page.reload()
  await page.getByText('Your session has ended. Enter an API key.').waitFor()
})

test('the dashboard has no link to GraphiQL if GraphiQL is turned off', async ({ skip }) => {
  const { page } = await openStory(skip, { GRAPHIQL: 'off' })
  await page.getByRole('link', { name: 'REST API' }).waitFor()
  expect(await page.getByRole('link', { name: 'GraphiQL' }).count()).toBe(0)
})
