// <notification-inbox> on a page of another origin, in a browser.
import { createServer } from 'node:http'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { sign } from '../support/browser.ts'
import { openPage } from '../support/dashboard/chromium.ts'
import { chromiumPath, noChromium } from '../support/dashboard/chromium-path.ts'
import { buildDashboard } from '../support/dashboard/dashboard.ts'
import { freshSettings, send, started } from '../support/process/gateway-process.ts'
import { portOf } from '../support/process/port.ts'

beforeAll(buildDashboard, 120_000)

const KEY = 'key-of-the-inbox-stories'

interface Story {
  readonly page: Page
  /** Triggers the workflow for ada, in the context tenant:acme. */
  readonly notify: (text: string) => Promise<void>
  readonly ask: (query: string, variables?: Record<string, unknown>) => Promise<unknown>
}

/** Opens a page of a shop on its own origin, whose back end signs for Ada. */
async function openShop(skip: (condition: boolean, note: string) => void): Promise<Story> {
  skip(chromiumPath === undefined, noChromium)
  let html = ''
  const shop = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html))
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    shop.closeAllConnections()
    shop.close()
  })
  const origin = `http://127.0.0.1:${portOf(shop)}`
  const { address } = await started({ ...(await freshSettings()), BOOTSTRAP_API_KEY: KEY, CORS_ORIGINS: origin })

  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await send(address, KEY, query, variables)
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const { environment } = await ask('{ environment { identifier } }')
  const create = `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }`
  const steps = [{ inApp: { subject: 'Your order', body: '{{ payload.text }}' } }]
  await ask(create, { input: { identifier: 'order', name: 'Orders', steps } })

  // Otherwise, the page and the first trigger would both create Ada at the same time.
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } }
  }`)
  const context = { tenant: 'acme' }
  html = `<!doctype html><html lang="en"><head><title>Shop</title>
    <script type="module" src="${address}/inbox.js"></script></head>
    <body><main><h1>Shop</h1>
      <notification-inbox environment="${environment.identifier}" subscriber-id="ada"
        subscriber-hash="${sign('ada', { key: KEY })}" context='${JSON.stringify(context)}'
        context-hash="${sign(JSON.stringify(context), { key: KEY })}"></notification-inbox>
    </main></body></html>`
  const trigger = `mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }`
  return {
    page: await openPage(origin),
    ask,
    async notify(text) {
      const to = [{ subscriber: { subscriberId: 'ada' } }]
      const contexts = [{ type: 'tenant', identifier: 'acme' }]
      await ask(trigger, { input: { workflowIdentifier: 'order', to, contexts, payload: { text } } })
    },
  }
}

test('a bell counts new notifications at once, and opens them', async ({ skip }) => {
  const { page, notify } = await openShop(skip)
  await page.getByRole('button', { name: 'Notifications' }).waitFor()
  await notify('Packed.')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await panel.getByText('Packed.').waitFor()
  await notify('Shipped.')
  await panel.getByText('Shipped.').waitFor()
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).waitFor()

  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
})

test('notifications are marked as read and archived', async ({ skip }) => {
  const { page, notify, ask } = await openShop(skip)
  await notify('Packed.')
  await notify('Shipped.')
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
  const items = page.getByRole('listitem')
  await items.filter({ hasText: 'Packed.' }).getByRole('button', { name: 'Mark as read' }).click()
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor()
  await items.filter({ hasText: 'Packed.' }).getByRole('button', { name: 'Archive' }).click()
  await items.filter({ hasText: 'Packed.' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Archived', exact: true }).click()
  await items.filter({ hasText: 'Packed.' }).waitFor()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()

  const feed = `{ subscriber(subscriberId: "ada") {
    notifications(contextKeys: ["tenant:acme"], filter: { read: true, archived: true }) { nodes { body } } } }`
  expect(await ask(feed)).toEqual({ subscriber: { notifications: { nodes: [{ body: 'Packed.' }] } } })
})

test('preferences are changed, and the workflow respects them', async ({ skip }) => {
  const { page, ask } = await openShop(skip)
  await page.getByRole('button', { name: 'Notifications' }).click()
  await page.getByRole('button', { name: 'Preferences' }).click()
  const orders = page.getByRole('group', { name: 'Orders' })
  await orders.getByRole('checkbox', { name: 'In-app' }).uncheck()
  const preferences = `{ subscriber(subscriberId: "ada") {
    preferences(contextKeys: ["tenant:acme"]) { workflows { channels { channel enabled } } } } }`
  await expect
    .poll(() => ask(preferences))
    .toMatchObject({
      subscriber: {
        preferences: {
          workflows: [{ channels: expect.arrayContaining([{ channel: 'IN_APP', enabled: false }]) }],
        },
      },
    })
})

test('the page can handle a click itself, change texts and colors, and learn what went wrong', async ({ skip }) => {
  const { page, notify } = await openShop(skip)
  await notify('Verpackt.')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor()
  await page.evaluate(() => {
    const inbox = document.querySelector('notification-inbox')
    if (inbox === null) throw new Error('no inbox')
    Object.assign(inbox, { texts: { notifications: 'Mitteilungen', unread: '{count} ungelesen' } })
    inbox.setAttribute('style', '--inbox-accent: rgb(0, 100, 0)')
    inbox.addEventListener('notification-click', (event) => {
      event.preventDefault()
      document.title = (event as CustomEvent<{ body: string }>).detail.body
    })
    inbox.addEventListener('inbox-error', (event) => {
      document.title = (event as CustomEvent<Error>).detail.message
    })
  })
  await page.getByRole('button', { name: 'Mitteilungen, 1 ungelesen' }).click()
  expect(await page.locator('.count').evaluate((count) => getComputedStyle(count).backgroundColor)).toBe(
    'rgb(0, 100, 0)',
  )
  await page.getByRole('button', { name: 'Verpackt.' }).click()
  await expect.poll(() => page.title()).toBe('Verpackt.')

  await page.locator('notification-inbox').evaluate((inbox) => inbox.setAttribute('subscriber-hash', 'wrong'))
  await expect.poll(() => page.title()).toMatch(/subscriberHash must be the HMAC/)
  await page.getByRole('button', { name: 'Try again' }).waitFor()
})

test('an answer for the subscriber before is not shown to the next one', async ({ skip }) => {
  const { page, notify } = await openShop(skip)
  await notify('Packed.')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor()
  const late: (() => Promise<void>)[] = []
  await page.route('**/graphql', async (route) => {
    if (/query Feed/.test(route.request().postData() ?? '')) late.push(() => route.continue())
    else await route.continue()
  })
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  // One for the panel that opens, and another one if the notification arrives as an update meanwhile.
  await expect.poll(() => late.length).toBeGreaterThan(0)

  await page.locator('notification-inbox').evaluate((inbox) => inbox.setAttribute('subscriber-hash', 'wrong'))
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  const answered = page.waitForResponse('**/graphql')
  await Promise.all(late.map((release) => release()))
  await (await answered).finished()
  // A round trip of the page itself, by which it has handled the late response.
  await page.evaluate(() => fetch('/').then((response) => response.text()))
  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
  expect(await page.getByText('Packed.').count()).toBe(0)
})

test('is usable without a mouse and has no accessibility finding', async ({ skip }) => {
  const { page, notify } = await openShop(skip)
  await notify('Packed.')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await panel.getByText('Packed.').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.addStyleTag({ content: `:root { color-scheme: ${colorScheme} }` })
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)])).toEqual([])
  }
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Preferences' }).getByRole('group', { name: 'Orders' }).waitFor()
})
