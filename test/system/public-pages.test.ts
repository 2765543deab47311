// The pages of links in a browser: what axe finds in light and dark, on a wide and on a narrow screen, and a person who
// chooses with the keyboard.
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { findingsOn } from '../support/dashboard/axe.ts'
import { closeBrowser, openPage } from '../support/dashboard/chromium.ts'
import { chromiumPath, noChromium } from '../support/dashboard/chromium-path.ts'
import { createIntegration, createWorkflow, done, storyOf, trigger } from '../support/delivery/story.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { type Client, useWorld } from '../support/world.ts'

const BASE = 'https://gateway.example'
const world = useWorld({ baseUrl: BASE })
const receiver = useReceiver()
afterAll(closeBrowser)

let acme: Client
let minute = 0

const email = { email: { stepId: 'mail', subject: 'News', body: '{{ unsubscribe.url }}' } }
const sms = { sms: { stepId: 'text', body: 'News' } }

beforeEach(async () => {
  acme = await world.environment()
  const { environment } = await acme.ask('{ environment { identifier } }')
  const brand = {
    name: 'Acme Outdoor',
    primaryColor: '#ffb000',
    websiteUrl: 'https://acme.example',
    address: 'Acme Inc.\n1 Main Street, Springfield',
  }
  await done(world.development, 'updateEnvironment', { identifier: environment.identifier, brand })
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
  const category = { key: 'news', name: 'News and offers', description: 'Once a week, at most.' }
  await done(acme, 'createCategory', category)
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [email, sms], { name: 'Weekly newsletter', categoryKey: 'news' })
  for (const [identifier, name, more] of [
    ['sale', 'Sales and discounts', { categoryKey: 'news' }],
    ['receipt', 'Receipts and invoices', {}],
    ['security', 'Security of your account', { critical: true }],
  ] as const) {
    await createWorkflow(acme, [email], { identifier, name, ...more })
  }
})

/** Opens a page whose requests the gateway answers. */
async function open(url: string): Promise<Page> {
  const page = await openPage('about:blank')
  await page.route(`${BASE}/**`, async (route) => {
    const request = route.request()
    world.setClock(new Date(Date.now() + (minute += 60_000)))
    const body = request.postDataBuffer()
    const response = await world.app.fetch(
      new Request(request.url(), {
        method: request.method(),
        headers: request.headers(),
        ...(body && { body: Uint8Array.from(body) }),
      }),
    )
    const headers = Object.fromEntries(response.headers)
    await route.fulfill({ status: response.status, headers, body: await response.text() })
  })
  await page.goto(url)
  return page
}

const createLink = async () => {
  const { url } = await done(acme, 'createPreferenceLink', { subscriberId: 'ada' }, 'url')
  return url
}

/** The link in a message to Ada. */
async function receiveLink(): Promise<string> {
  await trigger(acme)
  await world.work()
  return (
    /https:[^"]+\/u\/[\w.-]+/.exec(receiver.received.find(({ body }) => body.includes('/u/'))?.body ?? '')?.[0] ?? ''
  )
}

async function expectNothingWrong(page: Page): Promise<void> {
  for (const width of [1200, 360]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findingsOn(page)).toEqual([])
    }
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(tooWide).toBe(0)
  }
}

test('a person turns off a category on the page with the keyboard, and back on', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const page = await open(await createLink())
  await expectNothingWrong(page)
  const ofNews = page.getByRole('group', { name: 'News and offers' }).first().getByRole('switch', { name: 'Email' })
  await ofNews.focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await page.getByText('Your preferences are saved.').waitFor()
  expect(await ofNews.isChecked()).toBe(false)
  await expectNothingWrong(page)
  const stepOf = async () => {
    const id = await trigger(acme)
    await world.work()
    const { ada } = await storyOf(acme, id)
    return ada?.steps[0]
  }
  expect(await stepOf()).toMatchObject({ status: 'SKIPPED', reason: 'subscriber_category_preference' })
  await ofNews.check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your preferences are saved.').waitFor()
  expect(await ofNews.isChecked()).toBe(true)
  expect(await stepOf()).toMatchObject({ status: 'SENT' })
  await page.getByRole('button', { name: 'Turn everything off' }).click()
  await page.getByText('Everything is turned off.').waitFor()
  await expectNothingWrong(page)
  await page.getByText('Always on').first().waitFor()
})

test('the page of an email asks, unsubscribes and subscribes again, in each direction of writing', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const page = await open(await receiveLink())
  await expectNothingWrong(page)
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
  await expectNothingWrong(page)
  await page.getByRole('button', { name: 'Subscribe again' }).click()
  await page.getByRole('heading', { name: 'You are subscribed again' }).waitFor()
  await page.getByRole('link', { name: 'All preferences' }).click()
  await page.getByRole('heading', { name: 'Notification preferences' }).waitFor()
  await done(acme, 'updateSubscriber', { subscriberId: 'ada', locale: 'ar' })
  await page.reload()
  await page.getByRole('heading', { name: 'تفضيلات الإشعارات' }).waitFor()
  await expectNothingWrong(page)
})

test('a link that is not valid has a page', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const page = await open(`${BASE}/u/unknown`)
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
  await expectNothingWrong(page)
})
