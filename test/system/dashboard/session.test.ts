// Signing in to the dashboard, switching environments and signing out.
import { createServer, request } from 'node:http'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { chromiumPath, noChromium } from '../../support/dashboard/chromium-path.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'
import { openWatchedPage } from '../../support/dashboard/watch.ts'
import { freshSettings, runCommand, send, started } from '../../support/process/gateway-process.ts'
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
  const { page } = await openWatchedPage(link)
  await page.getByRole('button', { name: 'Development' }).waitFor()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(page.url()).not.toContain('code')

  // In the same tab, another link changes only the fragment of the address.
  const { stdout: second } = await runCommand({ ...settings, BASE_URL: address }, ['login'])
  const [another = ''] = /http\S+#code=\S+/.exec(second) ?? []
  await page.evaluate((url) => window.location.assign(url), another)
  await expect.poll(() => page.url()).not.toContain('code')
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  const { page: again } = await openWatchedPage(link)
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
  const { page, productionKey } = await openStory(skip)
  await page.getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Production' }).waitFor({ state: 'hidden' })
  await page.getByRole('menuitem', { name: 'Use another API key' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'API key' }).fill(productionKey)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Production' }).click()
  await page.getByRole('menuitem', { name: 'Development' }).click()
  await page.getByRole('button', { name: 'Development' }).waitFor()
})

/** What Chromium prints of the response to a session that was revoked. */
const rejection = /the server responded with a status of 401/

test('a revoked key ends its sessions, and the page says so', async ({ skip }) => {
  const { page, ask, visit, allow } = await openStory(skip)
  allow(rejection)
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

const asksForKey = (page: Page) => page.getByRole('textbox', { name: 'API key' }).waitFor()

async function anotherTab(page: Page, address: string): Promise<Page> {
  // A tab that opens before the worker runs signs in for itself.
  await page.evaluate(() => navigator.serviceWorker.ready)
  const tab = await page.context().newPage()
  await tab.goto(address)
  return tab
}

test('a second tab is signed in, and signing out in one tab signs out of all', async ({ skip }) => {
  const { page, address, key, visit } = await openStory(skip)
  const tab = await anotherTab(page, `${address}/#/topics`)
  await tab.getByRole('heading', { name: 'No topics yet' }).waitFor()
  await tab.reload()
  await tab.getByRole('banner').getByRole('button', { name: 'Development' }).click()
  await tab.getByRole('menuitem', { name: 'Sign out' }).click()
  await asksForKey(tab)
  await asksForKey(page)
  expect(await storageOf(page)).not.toContain('Dashboard ')

  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('heading', { name: 'No topics yet' }).waitFor()
  await visit('/')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('a revocation that one tab meets is shown in all, and one sign-in continues them', async ({ skip }) => {
  const { page, address, productionKey, key, visit, ask, allow } = await openStory(skip)
  allow(rejection)
  const newKey = 'mutation { createApiKey(input: { name: "second" }) { newApiKey { key } } }'
  const { createApiKey } = (await ask(newKey)) as { createApiKey: { newApiKey: { key: string } } }
  await visit('/topics')
  const tab = await anotherTab(page, `${address}/#/contexts`)
  await tab.getByRole('heading', { name: 'No contexts yet' }).waitFor()
  const revoke = `mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { userErrors { message } } }`
  const { body } = await send(address, createApiKey.newApiKey.key, '{ apiKeys(first: 1) { nodes { id } } }')
  const [first] = (body.data as { apiKeys: { nodes: { id: string }[] } }).apiKeys.nodes
  expect((await send(address, productionKey, revoke, { id: first?.id })).body).toMatchObject({ data: {} })
  expect(key).not.toBe(createApiKey.newApiKey.key)

  await tab.getByRole('link', { name: 'Topics' }).click()
  const [dialog, other] = [page, tab].map((each) => each.getByRole('dialog', { name: 'Sign in again' }))
  await dialog?.waitFor()
  await other?.getByRole('textbox', { name: 'API key' }).fill(createApiKey.newApiKey.key)
  await other?.getByRole('button', { name: 'Sign in' }).click()
  await dialog?.waitFor({ state: 'hidden' })
  await other?.waitFor({ state: 'hidden' })
  await tab.getByRole('heading', { name: 'No topics yet' }).waitFor()
})

test('another page of the same origin receives no session, whatever it asks for', async ({ skip }) => {
  const { page, address } = await openStory(skip)
  const stranger = await anotherTab(page, `${address}/graphql`)
  await stranger.evaluate(async () => {
    const received: unknown[] = []
    Object.assign(window, { received })
    navigator.serviceWorker.addEventListener('message', ({ data }) => received.push(data))
    navigator.serviceWorker.startMessages()
    // Not even under the address of the dashboard.
    window.history.replaceState(null, '', '/')
    const { active } = await navigator.serviceWorker.ready
    active?.postMessage({ kind: 'ask' })
  })
  // The worker passes messages in their order, so an answer to the stranger would precede this sign-in.
  const tab = await anotherTab(page, address)
  await tab.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await stranger.evaluate(() => Reflect.get(window, 'received'))).toEqual([])
})

/** Opens the settings of a new workflow, and renames it without saving. */
async function rename({ page, visit, ask }: Story, name: string): Promise<void> {
  await ask(
    'mutation { createWorkflow(input: { identifier: "order", name: "Order", steps: [{ inApp: { body: "Shipped" } }] }) { userErrors { message } } }',
  )
  await visit('/workflows/order')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
}

const nameOf = ({ ask }: Story) => ask('{ workflow(identifier: "order") { name } }')

test.for([1440, 390])(
  'a revoked key while editing, at %i pixels: a dialog signs in, and the edit is saved',
  async (width, { skip }) => {
    const story = await openStory(skip)
    const { page, key, ask, allow } = story
    allow(rejection)
    await page.setViewportSize({ width, height: 800 })
    const newKey = 'mutation { createApiKey(input: { name: "editor" }) { newApiKey { key apiKey { id } } } }'
    const { createApiKey } = (await ask(newKey)) as {
      createApiKey: { newApiKey: { key: string; apiKey: { id: string } } }
    }
    await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('textbox', { name: 'API key' }).fill(createApiKey.newApiKey.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('banner').waitFor()
    await rename(story, 'Order shipped')
    await ask('mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { userErrors { message } } }', {
      id: createApiKey.newApiKey.apiKey.id,
    })
    const done = await measureStory(page, 'a session that ends while editing')
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    const save = page.getByRole('button', { name: 'Save' })
    // The live preview may have met the revocation before the button does.
    await Promise.any([save.click({ timeout: 10_000 }), dialog.waitFor()])
    await dialog.getByText('The session for Development has ended.').waitFor()
    await dialog.getByRole('textbox', { name: 'API key' }).fill(key)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Order shipped')
    if (await save.isEnabled()) await save.click()
    await page.getByText('Workflow saved.').waitFor()
    await done()
    expect(await nameOf(story)).toEqual({ workflow: { name: 'Order shipped' } })
  },
)

test('a session in use is renewed before its end, and an expired one asks without an error in the console', async ({
  skip,
}) => {
  const story = await openStory(skip)
  const { page, key } = story
  const now = Date.now()
  await rename(story, 'Order shipped')
  await page.clock.setFixedTime(now + 11.5 * 3_600_000)
  const renewal = page.waitForRequest((request) => request.postData()?.includes('RenewDashboardSession') ?? false)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Workflow saved.').waitFor()
  await (await (await renewal).response())?.finished()

  await page.getByRole('textbox', { name: 'Name' }).fill('Order delivered')
  await page.clock.setFixedTime(now + 13 * 3_600_000)
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await page.clock.setFixedTime(now)
  await dialog.getByRole('textbox', { name: 'API key' }).fill(key)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Workflow saved.').last().waitFor()
  await expect.poll(() => nameOf(story)).toEqual({ workflow: { name: 'Order delivered' } })
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
  const { page } = await openWatchedPage(`http://127.0.0.1:${portOf(proxy)}/notifications/`)
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
