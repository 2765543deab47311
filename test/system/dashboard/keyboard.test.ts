// The keyboard in the dashboard: shortcuts, where the focus goes, and the tab stops of lists.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

/** The accessible description of the focused element: its tag with its label or text. */
const focused = ({ page }: Story) =>
  page.evaluate(() => {
    const element = document.activeElement
    return `${element?.tagName.toLowerCase()} ${element?.getAttribute('aria-label') ?? element?.textContent ?? ''}`
  })

/** Presses Tab until the focus leaves the page. @returns the number of stops inside of `region`. */
async function stopsIn({ page }: Story, region: string): Promise<number> {
  await page.evaluate(() => document.getElementById('page')?.focus())
  let stops = 0
  for (let count = 0; count < 200; count += 1) {
    await page.keyboard.press('Tab')
    const where = await page.evaluate((selector) => {
      const element = document.activeElement
      if (element?.closest('#page') == null) return 'outside'
      return element.closest(selector) === null ? 'page' : 'region'
    }, region)
    if (where === 'outside') return stops
    if (where === 'region') stops += 1
  }
  throw new Error('the focus never left the page')
}

test('keys open the search, the filters and the list of keys, and do nothing in a field', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  await visit('/subscribers')
  await page.getByRole('heading', { name: 'Subscribers', level: 1 }).waitFor()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  await keys.getByText('Go to the search or the filters of the page').waitFor()
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'detached' })

  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: /Search by id/ })
  await expect.poll(() => focused(story)).toMatch(/^input Search by id/)
  await page.keyboard.type('a/b?')
  await page.keyboard.press('Control+k')
  expect(await search.inputValue()).toBe('a/b?')
  expect(await page.getByRole('dialog').count()).toBe(0)

  await visit('/events')
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  await page.keyboard.press('/')
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[role="search"]') !== null)).toBe(true)
})

test.for([1440, 390])('at %i pixels, the focus returns to where it was after a dialog', async (width, { skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  await page.setViewportSize({ width, height: 900 })
  const done = await measureStory(page, 'a topic by keyboard only')
  await visit('/topics')
  const create = page.getByRole('button', { name: 'Create topic' }).first()
  const dialog = page.getByRole('dialog', { name: 'Create topic' })
  await create.focus()
  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(story)).toBe('button Create topic')

  await page.keyboard.press('Enter')
  await dialog.getByRole('textbox', { name: 'Key' }).fill('releases')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'releases', level: 1 }).waitFor()
  // The button is gone with its page. The heading says which page it is.
  await expect.poll(() => focused(story)).toBe('h1 releases')

  await page.getByRole('button', { name: 'Edit' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Releases')
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(story)).toBe('button Edit')

  await page.getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(story)).toBe('button Delete')

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search everything' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(story)).toBe('button Delete')
  await done()
})

test('a list of 20 messages has at most 25 tab stops, and arrow keys reach the rest', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, ask, visit } = story
  const people = Array.from({ length: 20 }, (_, n) => ({
    subscriber: { subscriberId: `person-${n}`, email: `person-${n}@example.com` },
  }))
  await ask(
    `mutation ($workflow: CreateWorkflowInput!, $integration: CreateIntegrationInput!, $trigger: TriggerEventInput!) {
      createIntegration(input: $integration) { userErrors { message } }
      createWorkflow(input: $workflow) { userErrors { message } }
      triggerEvent(input: $trigger) { userErrors { message } }
    }`,
    {
      integration: {
        identifier: 'mail',
        providerId: 'EMAIL_WEBHOOK',
        credentials: { webhookUrl: 'https://mail.example' },
      },
      workflow: { identifier: 'order', name: 'Order', steps: [{ email: { subject: 'Late', body: 'Sorry' } }] },
      trigger: { workflowIdentifier: 'order', transactionId: 'order-1', to: people },
    },
  )
  await visit('/deliveries')
  await page.getByText('20 in total').waitFor()
  const list = '[role="region"][aria-label="Messages"]'
  expect(await stopsIn(story, list)).toBeLessThanOrEqual(25)

  const rows = page.getByRole('table', { name: 'Messages' }).getByRole('row')
  await rows.nth(1).getByRole('link', { name: 'order-1' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focused(story)).toMatch(/^a person-/)
  const [first] = [await focused(story)]
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focused(story)).not.toBe(first)
  expect(await focused(story)).toMatch(/^a person-/)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focused(story)).toBe('a order')
})
