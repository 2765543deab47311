// What the inbox says and does when it cannot sign in, or cannot reach the gateway.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { sign } from '../../support/browser.ts'
import { buildDashboard } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'
import { eventually, openShop } from '../../support/inbox/shop.ts'

beforeAll(buildDashboard, 120_000)

const REJECTED = 'You could not be signed in to your notifications.'
const unavailable = { name: 'Notifications, not available' }

/** The times at which the page opened sessions, by the clock of the page, and how many requests have no response yet. */
interface Recorded {
  readonly signIns: number[]
  waiting: number
}

async function recordSignIns(page: Page): Promise<void> {
  await page.clock.install()
  await page.addInitScript(() => {
    const recorded: Recorded = { signIns: [], waiting: 0 }
    const original = window.fetch.bind(window)
    Object.assign(window, { recorded })
    window.fetch = async (...args) => {
      const body = args[1]?.body
      if (typeof body !== 'string' || !body.includes('mutation OpenSession')) return original(...args)
      recorded.signIns.push(Date.now())
      recorded.waiting += 1
      try {
        return await original(...args)
      } finally {
        recorded.waiting -= 1
      }
    }
  })
}

const recordedOn = (page: Page) => page.evaluate(() => (window as unknown as { recorded: Recorded }).recorded)
const signInsOf = async (page: Page) => (await recordedOn(page)).signIns

test('a wrong hash is said once on the page and once in the console, and tried again after growing pauses', async ({
  skip,
}) => {
  const attributes = { 'subscriber-hash': 'wrong' }
  const { page, console: printed } = await openShop(skip, { attributes, prepare: recordSignIns })
  await page.getByRole('button', unavailable).waitFor()
  await eventually(() => page.getByRole('status').innerText()).toBe(REJECTED)

  const attempted = async () => {
    // The time that the gateway takes is not a pause.
    if ((await recordedOn(page)).waiting === 0) await page.clock.runFor(1_000)
    return (await signInsOf(page)).length
  }
  await expect.poll(attempted, { timeout: 60_000, interval: 1 }).toBeGreaterThanOrEqual(10)
  const attempts = await signInsOf(page)
  const pauses = attempts.slice(1).map((time, index) => time - (attempts[index] ?? 0))
  expect(pauses[0]).toBeLessThan(4_000)
  expect(pauses.slice(0, 5)).toEqual(pauses.slice(0, 5).toSorted((one, other) => one - other))
  expect(Math.min(...pauses.slice(6))).toBeGreaterThan(40_000)
  expect(Math.max(...pauses)).toBeLessThan(90_000)

  const ours = printed.filter((text) => text.includes('<notification-inbox>'))
  expect(ours).toEqual([expect.stringMatching(/subscriberHash must be the HMAC.*in your back end/)])
  await page.getByRole('button', unavailable).click()
  await page.getByRole('dialog').getByText(REJECTED).waitFor()
  expect(await page.getByText(REJECTED).count()).toBe(1)

  const before = (await signInsOf(page)).length
  await page.getByRole('button', { name: 'Try again' }).click()
  await eventually(async () => (await signInsOf(page)).length).toBeGreaterThan(before)
})

test('an origin that the gateway does not allow is named in the console', async ({ skip }) => {
  const { page, origin, console: printed } = await openShop(skip, { allowed: false })
  await page.getByRole('button', unavailable).click()
  await page.getByRole('dialog').getByText(REJECTED).waitFor()
  const ours = printed.filter((text) => text.includes('<notification-inbox>'))
  expect(ours).toEqual([expect.stringContaining(`does not allow the origin ${origin}. Add it to CORS_ORIGINS`)])
})

test('a session that ends is opened again, until its key is revoked', async ({ skip }) => {
  const { page, ask, notify } = await openShop(skip)
  const { createApiKey } = (await ask(
    'mutation { createApiKey(input: { name: "Shop", access: FULL }) { newApiKey { key apiKey { id } } } }',
  )) as { createApiKey: { newApiKey: { key: string; apiKey: { id: string } } } }
  await page
    .locator('notification-inbox')
    .evaluate((inbox, hash) => inbox.setAttribute('subscriber-hash', hash), sign('ada', createApiKey.newApiKey))
  await notify('Packed.')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor()

  const expired = { errors: [{ message: 'Session expired', extensions: { code: 'UNAUTHENTICATED' } }] }
  await page.route('**/graphql', (route) => route.fulfill({ status: 401, json: expired }), { times: 1 })
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await page.getByRole('dialog').getByText('Packed.').waitFor()

  await ask('mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { userErrors { message } } }', {
    input: { id: createApiKey.newApiKey.apiKey.id },
  })
  await page.getByRole('dialog').getByText(REJECTED).waitFor()
})

test('an inbox that was offline comes back by itself', async ({ skip }) => {
  let isOnline = false
  const {
    page,
    notify,
    console: printed,
  } = await openShop(skip, {
    async prepare(opened) {
      await opened.clock.install()
      await opened.route('**/graphql', (route) => (isOnline ? route.continue() : route.abort()))
    },
  })
  const done = await measureStory(page, 'the inbox: back after it was offline')
  await page.getByRole('button', unavailable).click()
  await page.getByRole('dialog').getByText('The notifications could not be loaded.').waitFor()
  expect(printed.filter((text) => text.includes('<notification-inbox>'))).toEqual([
    expect.stringContaining('connect-src'),
  ])
  await notify('Packed.')
  isOnline = true
  await page.clock.runFor(60_000)
  await page.getByRole('dialog').getByText('Packed.').waitFor()
  await done()
  expect(await page.getByText('could not be loaded').count()).toBe(0)
})
