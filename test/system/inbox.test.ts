// <notification-inbox> on a page of another origin, in a browser.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard } from '../support/dashboard/dashboard.ts'
import { findingsOf, openShop } from '../support/inbox/shop.ts'

beforeAll(buildDashboard, 120_000)

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
  expect(await findingsOf(page)).toEqual([])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Preferences' }).getByRole('group', { name: 'Orders' }).waitFor()
})
