// The look of the inbox on the pages of others: their styles, their boxes, their colors and their security policy.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'
import { eventually, findingsOf, openShop } from '../../support/inbox/shop.ts'

beforeAll(buildDashboard, 120_000)

const actions = [
  { label: 'Track', url: 'https://shop.example/track' },
  { label: 'Cancel', url: 'https://shop.example/cancel' },
]
const AVATAR = 'https://images.example/{{ payload.text }}.png'
const bell = { name: 'Notifications, 1 unread' }

/** A page on the styles of whose elements the inbox must not depend. */
const loud = `<style>body { text-align: right; line-height: 3; letter-spacing: 4px; word-spacing: 9px; font: italic 30px serif;
  text-transform: uppercase; text-indent: 40px; white-space: nowrap; cursor: crosshair; font-variant: small-caps; color: red }</style>`

test('the styles of the page do not change the look', async ({ skip }) => {
  const { page, notify } = await openShop(skip, { step: { actions } })
  await notify('Packed.')
  await page.getByRole('button', bell).click()
  await page.getByText('Packed.').waitFor()
  const look = () =>
    page.locator('notification-inbox').evaluate((inbox) => {
      const elements = [...(inbox.shadowRoot?.querySelectorAll('button, h2, li, .subject, .body, time, a') ?? [])]
      const names = ['text-align', 'line-height', 'letter-spacing', 'word-spacing', 'font', 'text-transform', 'color']
      const others = ['text-indent', 'white-space', 'cursor', 'visibility']
      return elements.map((element) => {
        const style = getComputedStyle(element)
        return [element.className, ...[...names, ...others].map((name) => style.getPropertyValue(name))].join('; ')
      })
    })
  const before = await look()
  expect(before.length).toBeGreaterThan(12)
  await page.evaluate((html) => document.head.insertAdjacentHTML('beforeend', html), loud)
  expect(await page.locator('h1').evaluate((heading) => getComputedStyle(heading).letterSpacing)).toBe('4px')
  expect(await look()).toEqual(before)

  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
  const direction = await page.getByRole('dialog').evaluate((dialog) => getComputedStyle(dialog).direction)
  expect(direction).toBe('rtl')
})

test('the panel is not clipped by a box of the page, and stays in the window', async ({ skip }) => {
  const around = (inbox: string) => `<main style="height: 2000px"><h1>Shop</h1>
    <div style="overflow: hidden; height: 44px; width: 60px; transform: translateX(0)">${inbox}</div></main>`
  const { page, notify } = await openShop(skip, { around })
  await notify('Packed.')
  await page.getByRole('button', bell).click()
  await page.getByText('Packed.').waitFor()
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 700 },
  ]) {
    await page.setViewportSize(size)
    await page.evaluate(() => window.scrollTo(0, 0))
    // Playwright clicks only what is visible and not covered.
    await page.getByRole('button', { name: 'Unread', exact: true }).click()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    const box = await page.getByRole('dialog').boundingBox()
    if (box === null) throw new Error('no panel')
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(size.width)
    expect(box.y + box.height).toBeLessThanOrEqual(size.height)
    const top = await page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.localName, [
      box.x + box.width / 2,
      box.y + box.height - 5,
    ] as const)
    expect(top).toBe('notification-inbox')
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  const distance = async () => {
    const panel = await page.getByRole('dialog').boundingBox()
    const button = await page.locator('.bell').boundingBox()
    return Math.round((panel?.y ?? 0) - (button?.y ?? 0))
  }
  const before = await distance()
  await page.evaluate(() => window.scrollTo(0, 40))
  await eventually(distance).toBe(before)
})

test('an avatar of a host that the page does not allow is replaced by initials, without an error', async ({ skip }) => {
  const {
    page,
    notify,
    console: printed,
  } = await openShop(skip, {
    step: { avatar: AVATAR },
    policy: (address) => `default-src 'none'; script-src ${address}; connect-src ${address}; img-src 'self'`,
  })
  await notify('Packed.')
  await page.getByRole('button', bell).click()
  await page.locator('.avatar').getByText('YO').waitFor()
  expect(await page.locator('img').count()).toBe(0)
  expect(printed).toEqual([])
})

test('an avatar of a host that the page allows is loaded, and replaced by initials if it fails', async ({ skip }) => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const { page, notify } = await openShop(skip, {
    step: { avatar: AVATAR, subject: '{{ payload.text }}' },
    attributes: { 'avatar-hosts': 'cdn.example *.example' },
    prepare: (opened) =>
      opened.route('https://images.example/**', (route) =>
        /good/.test(route.request().url())
          ? route.fulfill({ contentType: 'image/png', body: png })
          : route.fulfill({ status: 404 }),
      ),
  })
  await notify('good')
  await notify('bad')
  await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
  const item = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await item('bad').locator('.avatar').getByText('B', { exact: true }).waitFor()
  await eventually(() =>
    item('good')
      .locator('img')
      .evaluate((img) => (img as HTMLImageElement).naturalWidth),
  ).toBe(1)
  expect(await item('bad').locator('img').count()).toBe(0)
})

/** A theme of a page: a yellow accent on a dark blue, in both color schemes. */
const theme = `<style>notification-inbox {
  --inbox-accent: #ffd43b; --inbox-background: #102a43; --inbox-color: #f0f4f8; }</style>`

test.for([
  ['the colors of the component', ''],
  ['a theme of three colors', theme],
])('axe finds nothing in any state, with %s', async ([, head], { skip }) => {
  const { page, notify } = await openShop(skip, { head, step: { actions, avatar: AVATAR } })
  const audit = async (state: string) => expect([state, ...(await findingsOf(page))]).toEqual([state])
  await audit('closed and empty')
  await notify('Packed.')
  await page.getByRole('button', bell).waitFor()
  await audit('closed with a count')
  await page.getByRole('button', bell).click()
  await page.getByText('Packed.').waitFor()
  await page.getByRole('link', { name: 'Track' }).hover()
  await audit('a list')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await audit('a list that was read')
  await page.getByRole('button', { name: 'Archived', exact: true }).click()
  await page.getByText('No notifications').waitFor()
  await audit('an empty list')
  await page.getByRole('button', { name: 'Preferences' }).click()
  await page.getByRole('group', { name: 'Orders' }).waitFor()
  await audit('preferences')
  await page.locator('notification-inbox').evaluate((inbox) => inbox.setAttribute('subscriber-hash', 'wrong'))
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await audit('not signed in')
  await page.keyboard.press('Escape')
  await audit('closed and not signed in')
})

test('the policy in docs/inbox.md is enough, in a page that allows nothing else', async ({ skip }) => {
  const document = readFileSync(path.join(import.meta.dirname, '../../../docs/inbox.md'), 'utf8')
  const written = /```http\nContent-Security-Policy: ([^\n]+)\n```/.exec(document)?.[1]
  if (written === undefined) throw new Error('docs/inbox.md has no policy')
  expect(written).toContain("default-src 'none'")
  const {
    page,
    notify,
    console: printed,
  } = await openShop(skip, {
    step: { actions, avatar: AVATAR },
    attributes: { 'avatar-hosts': 'images.example' },
    policy: (address) => `${written.replaceAll('http://127.0.0.1:3000', address)}; report-uri /violations`,
    prepare: (opened) =>
      opened.route('https://images.example/**', (route) =>
        route.fulfill({
          contentType: 'image/svg+xml',
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
        }),
      ),
  })
  const done = await measureStory(page, 'the inbox: an archive and a preference')
  await notify('Packed.')
  await page.getByRole('button', bell).click()
  await page.getByText('Packed.').waitFor()
  await eventually(() => page.locator('img').evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBeGreaterThan(
    0,
  )
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.getByText('No notifications').waitFor()
  await page.getByRole('button', { name: 'Preferences' }).click()
  await page.getByRole('group', { name: 'Orders' }).getByRole('checkbox').uncheck()
  await page.keyboard.press('Escape')
  await notify('Shipped.')
  await done()
  expect(printed).toEqual([])
})
