// Reading in the inbox: what is seen, what stays shown, times, keys, the focus, and what a screen reader hears.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'
import { eventually, findingsOf, openShop, type Shop } from '../../support/inbox/shop.ts'

beforeAll(buildDashboard, 120_000)

const bellOf = (page: Page, unread: number) =>
  page.getByRole('button', { name: unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`, exact: true })

async function openWith({ page, notify }: Shop, texts: readonly string[]): Promise<void> {
  for (const text of texts) await notify(text)
  await bellOf(page, texts.length).click()
  await page.getByRole('listitem').first().waitFor()
}

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('aria-label'))

test('opening marks what is shown as seen, with one operation', async ({ skip }) => {
  const shop = await openShop(skip)
  const { page, ask, notify } = shop
  const marks: string[] = []
  page.on('request', (request) => {
    const body = request.postData() ?? ''
    if (body.includes('markNotification')) marks.push(body)
  })
  await notify('Packed.')
  await notify('Shipped.')
  await bellOf(page, 2).waitFor()
  const counts = () =>
    ask(`{ subscriber(subscriberId: "ada") {
      notificationCounts(contextKeys: ["tenant:acme"]) { unread unseen } } }`)
  expect(await counts()).toEqual({ subscriber: { notificationCounts: { unread: 2, unseen: 2 } } })
  await bellOf(page, 2).click()
  await eventually(counts).toEqual({ subscriber: { notificationCounts: { unread: 2, unseen: 0 } } })
  expect(marks).toHaveLength(1)
  await notify('Delivered.')
  await page.getByText('Delivered.').waitFor()
  await eventually(counts).toEqual({ subscriber: { notificationCounts: { unread: 3, unseen: 0 } } })
  await page.keyboard.press('Escape')
  await notify('Returned.')
  await bellOf(page, 4).waitFor()
  expect(await counts()).toEqual({ subscriber: { notificationCounts: { unread: 4, unseen: 1 } } })
})

test('a new notification keeps what was loaded further down', async ({ skip }) => {
  const shop = await openShop(skip)
  const { page, notify } = shop
  const done = await measureStory(page, 'the inbox: 48 notifications')
  await openWith(
    shop,
    Array.from({ length: 46 }, (_, index) => `Parcel ${index + 1}.`),
  )
  const shown = () => page.getByRole('listitem').count()
  expect(await shown()).toBe(20)
  await page.getByRole('button', { name: 'Show more' }).click()
  await eventually(shown).toBe(40)
  await notify('Another parcel.')
  await page.getByText('Another parcel.').waitFor()
  expect(await shown()).toBe(41)
  await page.getByRole('button', { name: 'Show more' }).click()
  await eventually(shown).toBe(47)
  await notify('The last parcel.')
  await page.getByText('The last parcel.').waitFor()
  expect(await shown()).toBe(48)
  await done()
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
})

test('times are relative, and age', async ({ skip }) => {
  const shop = await openShop(skip, { prepare: (page) => page.clock.install() })
  const { page } = shop
  await openWith(shop, ['Packed.'])
  const time = page.getByRole('listitem').getByRole('time')
  await eventually(() => time.innerText()).toBe('now')
  expect(await time.getAttribute('title')).toMatch(/\d{4}.*\d:\d\d/)
  await page.clock.runFor(121_000)
  await eventually(() => time.innerText()).toBe('2 minutes ago')
  await page.locator('notification-inbox').evaluate((inbox) => inbox.setAttribute('locale', 'de'))
  await eventually(() => time.innerText()).toBe('vor 2 Minuten')
  await page.clock.fastForward(2 * 3_600_000)
  await eventually(() => time.innerText()).toBe('vor 2 Stunden')
})

test('the keyboard stays in the inbox: after marking all, archiving, changing the view and closing', async ({
  skip,
}) => {
  const shop = await openShop(skip)
  const { page } = shop
  await openWith(shop, ['Packed.', 'Shipped.', 'Delivered.'])
  const dialog = page.getByRole('dialog')
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Shipped.' })
    .getByRole('button', { name: 'Archive' })
    .press('Enter')
  await page.getByText('Shipped.').waitFor({ state: 'hidden' })
  expect(await focused(page)).toBe('Archive')
  await page.keyboard.press('Enter')
  await page.getByText('Packed.').waitFor({ state: 'hidden' })
  expect(await focused(page)).toBe('Archive')

  await page.getByRole('button', { name: 'Mark all as read' }).press('Enter')
  await bellOf(page, 0).waitFor()
  expect(await focused(page)).toBe('Notifications')
  await page.getByRole('button', { name: 'Preferences' }).press('Enter')
  await page.getByRole('dialog', { name: 'Preferences' }).getByRole('group', { name: 'Orders' }).waitFor()
  expect(await focused(page)).toBe('Preferences')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className)).toBe('bell')
  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await page.getByRole('button', { name: 'Close' }).press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className)).toBe('bell')

  // With the mouse, on what takes no focus.
  await bellOf(page, 0).click()
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

test('a screen reader hears new notifications, and what marks did', async ({ skip }) => {
  const shop = await openShop(skip)
  const { page, notify } = shop
  const said = page.getByRole('status')
  await openWith(shop, ['Packed.'])
  await notify('Shipped.')
  await eventually(() => said.innerText()).toBe('New notification, 2 unread')
  const packed = page.getByRole('listitem').filter({ hasText: 'Packed.' })
  await packed.getByRole('button', { name: 'Mark as read' }).click()
  await eventually(() => said.innerText()).toBe('Marked as read')
  await packed.getByRole('button', { name: 'Mark as unread' }).click()
  await eventually(() => said.innerText()).toBe('Marked as unread')
  await packed.getByRole('button', { name: 'Archive' }).click()
  await eventually(() => said.innerText()).toBe('Archived')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await eventually(() => said.innerText()).toBe('All notifications marked as read')
  await page.keyboard.press('Escape')
  await notify('Delivered.')
  await eventually(() => said.innerText()).toBe('New notification, 1 unread')
  expect(await page.locator('notification-inbox').ariaSnapshot()).toContain('status: New notification, 1 unread')
})

test('someone snoozes a notification, finds it among the snoozed ones, and brings it back', async ({ skip }) => {
  const actions = [{ label: 'Confirm', url: 'https://shop.example/confirm', target: 'BLANK' }]
  const shop = await openShop(skip, { step: { actions } })
  const { page, ask } = shop
  const packed = page.getByRole('listitem').filter({ hasText: 'Packed.' })
  const snooze = packed.getByRole('button', { name: 'Snooze', exact: true })
  const choices = packed.getByRole('group', { name: 'Snooze' })
  await openWith(shop, ['Packed.', 'Shipped.'])
  expect(await packed.getByRole('link', { name: 'Confirm' }).getAttribute('target')).toBe('_blank')
  await snooze.press('Enter')
  await choices.getByRole('button', { name: 'Next week' }).waitFor()
  expect(await findingsOf(page)).toEqual([])
  await choices.getByRole('button', { name: 'In an hour' }).press('Escape')
  await choices.waitFor({ state: 'hidden' })
  expect(await focused(page)).toBe('Snooze')

  await snooze.click()
  await choices.getByRole('button', { name: 'Tomorrow' }).click()
  await eventually(() => page.getByRole('status').innerText()).toBe('Snoozed')
  await packed.waitFor({ state: 'hidden' })
  await bellOf(page, 1).waitFor()
  expect(await focused(page)).toBe('Snooze')
  const read = `{ subscriber(subscriberId: "ada") {
    notifications(contextKeys: ["tenant:acme"], filter: { snoozed: true }) { nodes { id snoozedUntil } } } }`
  const { subscriber } = (await ask(read)) as {
    subscriber: { notifications: { nodes: [{ id: string; snoozedUntil: string }] } }
  }
  const [{ id, snoozedUntil }] = subscriber.notifications.nodes
  expect(await page.evaluate((until) => new Date(until).toTimeString(), snoozedUntil)).toMatch(/^09:00:00/)
  await ask(`mutation {
    completeNotificationAction(input: { id: "${id}", action: PRIMARY }) { userErrors { message } }
  }`)

  await page.getByRole('button', { name: 'Snoozed' }).click()
  await packed.getByText('Completed').waitFor()
  expect(await packed.getByRole('time').innerText()).toMatch(/^Returns .*9:00/)
  expect(await packed.getByRole('button', { name: /Mark|Archive/ }).count()).toBe(0)
  await packed.getByRole('button', { name: 'Return now' }).click()
  await page.getByText('No notifications').waitFor()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await packed.waitFor()
  await bellOf(page, 2).waitFor()
})

test('a change that was not saved is said', async ({ skip }) => {
  const shop = await openShop(skip)
  const { page } = shop
  await openWith(shop, ['Packed.'])
  await page.route('**/graphql', (route) =>
    /markNotification/.test(route.request().postData() ?? '') ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Mark as read', exact: true }).click()
  await page.getByRole('alert').getByText('The change was not saved.').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Packed.' }).waitFor()
})
