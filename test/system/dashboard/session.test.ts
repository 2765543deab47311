// Signing in to the dashboard, switching environments and signing out.
import { createServer, request } from 'node:http'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openPage } from '../../support/dashboard/chromium.ts'
import { chromiumPath, noChromium } from '../../support/dashboard/chromium-path.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { freshSettings, runCommand, started } from '../../support/process/gateway-process.ts'
import { portOf } from '../../support/process/port.ts'

beforeAll(buildDashboard, 120_000)

const storageOf = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([Object.entries(window.sessionStorage), Object.entries(window.localStorage), document.cookie]),
  )

test('a sign-in link works once and leaves no code in the address', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const settings = await freshSettings()
  const { address } = await started(settings)
  const { stdout } = await runCommand({ ...settings, BASE_URL: address }, ['login'])
  const [link = ''] = /http\S+#code=\S+/.exec(stdout) ?? []
  const page = await openPage(link)
  await page.getByRole('button', { name: 'Development' }).waitFor()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(page.url()).not.toContain('code')

  const again = await openPage(link)
  await again.getByText('This link was used before').waitFor()
})

test('a key signs in, is stored nowhere, and a reload stays signed in', async ({ skip }) => {
  const { page, key } = await openStory(skip)
  expect(await storageOf(page)).not.toContain(key)
  await page.reload()
  await page.getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill('ng_unknown')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This API key does not exist, or it was revoked.').waitFor()
  expect(await storageOf(page)).not.toContain('Dashboard ')
})

test('an ADMIN session can switch to every environment, any other session only to environments whose keys were used', async ({
  skip,
}) => {
  const { page, gateway } = await openStory(skip)
  // The key of Development is the one of the stories, so the process prints only the other.
  const [production = ''] = gateway.keys()
  await page.getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Production' }).waitFor({ state: 'hidden' })
  await page.getByRole('menuitem', { name: 'Use another API key' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'API key' }).fill(production)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Production' }).click()
  await page.getByRole('menuitem', { name: 'Development' }).click()
  await page.getByRole('button', { name: 'Development' }).waitFor()
})

test('a revoked key ends its sessions, and the page says so', async ({ skip }) => {
  const { page, ask, visit } = await openStory(skip)
  const { createApiKey } = (await ask(
    'mutation { createApiKey(input: { name: "support", access: READ_ONLY }) { newApiKey { key apiKey { id } } } }',
  )) as { createApiKey: { newApiKey: { key: string; apiKey: { id: string } } } }
  const { key, apiKey } = createApiKey.newApiKey
  await page.getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await visit('/topics')
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
  // A key with read access creates nothing.
  expect(await page.getByRole('button', { name: 'Create topic' }).count()).toBe(0)
  const revoke = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { userErrors { message } } }'
  await ask(revoke, { id: apiKey.id })
  await page.reload()
  await page.getByText('The session for Development has ended. Sign in again.').waitFor()
  await page.getByRole('textbox', { name: 'API key' }).waitFor()
})

test('the dashboard works under a path prefix of a proxy', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const KEY = 'key-behind-a-path-prefix'
  const { address } = await started({ ...(await freshSettings()), BOOTSTRAP_API_KEY: KEY })
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url?.replace(/^\/notifications/, '') ?? ''
    if (path === incoming.url) {
      outgoing.writeHead(404).end()
      return
    }
    const { method, headers } = incoming
    incoming.pipe(
      request(address + path, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      }),
    )
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const page = await openPage(`http://127.0.0.1:${portOf(proxy)}/notifications/`)
  await page.getByRole('textbox', { name: 'API key' }).fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Topics' }).click()
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
})

test('each page is announced by its own title', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  const announced = page.getByRole('main').locator(':scope > [aria-live]')
  await ask('mutation { createTopic(input: { key: "news", name: "News" }) { userErrors { message } } }')
  await visit('/topics')
  await expect.poll(() => announced.textContent()).toBe('Topics · Notification gateway')
  await page.getByRole('link', { name: 'news', exact: true }).click()
  await expect.poll(() => announced.textContent()).toBe('News · Notification gateway')
  await page.goBack()
  await expect.poll(() => announced.textContent()).toBe('Topics · Notification gateway')
})
