// What the pages of the dashboard load: bytes, compressed with gzip, and requests.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page, Request } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

const KB = 1024
const MAX_REQUESTS = 15

/** A stream has no end. */
const isStream = (request: Request) => request.headers()['accept']?.includes('text/event-stream') ?? false

/** Opens a page and waits for what it has requested. @returns the bytes of the responses, and their number. */
async function weigh(page: Page, open: () => Promise<unknown>): Promise<{ bytes: number; requests: Request[] }> {
  const requested: Request[] = []
  page.on('request', (request) => !isStream(request) && requested.push(request))
  await open()
  const sizes = requested.map(async (request) => {
    const response = await request.response()
    return response === null ? 0 : gzipSync(await response.body()).length
  })
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  page.removeAllListeners('request')
  return { bytes, requests: requested }
}

test('pages load few bytes, in few requests', async ({ skip }) => {
  const { page, address, ask } = await openStory(skip)
  await ask(`mutation {
    createWorkflow(input: {
      identifier: "welcome", name: "Welcome", steps: [{ email: { subject: "Hello", body: "<p>{{payload.name}}</p>" } }]
    }) { userErrors { message } }
    triggerEvent(input: {
      workflowIdentifier: "welcome", transactionId: "first", to: [{ subscriber: { subscriberId: "ada" } }]
    }) { userErrors { message } }
  }`)
  const main = page.getByRole('main')
  const pages = [
    ['/', main.getByRole('link', { name: 'first' }), 300],
    ['/events', main.getByRole('link', { name: 'first' }), 320],
    ['/captured', main.getByText('No captured messages'), 320],
    ['/events/first', main.getByRole('link', { name: 'ada' }), 330],
    ['/subscribers/ada', main.getByRole('heading', { name: 'ada' }), 320],
    ['/workflows/welcome', main.getByRole('textbox', { name: 'Payload', exact: true }), 400],
  ] as const
  for (const [path, content, limit] of pages) {
    await page.goto('about:blank')
    const { bytes, requests } = await weigh(page, async () => {
      await page.goto(`${address}/#${path}`)
      await content.first().waitFor()
    })
    console.info(`${path}: ${Math.round(bytes / KB)} KB, ${requests.length} requests`)
    expect(bytes / KB, `KB of ${path}`).toBeLessThan(limit)
    expect(requests.length, `requests of ${path}`).toBeLessThanOrEqual(MAX_REQUESTS)
    // A query that was sent before the code of its page is not sent again.
    const queries = requests.flatMap((request) => request.postData() ?? [])
    expect(new Set(queries).size, `queries of ${path}`).toBe(queries.length)
  }

  const other = await page.context().browser()?.newContext()
  const signIn = await other?.newPage()
  if (signIn === undefined) throw new Error('the browser has closed')
  const { bytes } = await weigh(signIn, async () => {
    await signIn.goto(address)
    await signIn.getByLabel('API key').waitFor()
  })
  await other?.close()
  console.info(`sign-in: ${Math.round(bytes / KB)} KB`)
  expect(bytes / KB, 'KB of the sign-in page').toBeLessThan(150)
})

test('a switch sends one operation, which reads back what it changed', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(`mutation {
    createIntegration(input: {
      identifier: "mail", providerId: EMAIL_WEBHOOK, credentials: { webhookUrl: "https://example.com/mail" }
    }) { userErrors { message } }
  }`)
  await visit('/integrations/mail')
  const active = page.getByRole('switch', { name: 'Messages are sent through it' })
  await active.waitFor()
  const done = await measureStory(page, 'an integration is switched off')
  const operations: string[] = []
  page.on('request', (request) => {
    const [, name] = /(\w+ \w+)\(/.exec(request.postData() ?? '') ?? []
    if (name !== undefined) operations.push(name)
  })
  await active.click({ force: true })
  await expect.poll(() => active.isChecked()).toBe(false)
  // Queries that are repeated after a mutation are sent before its message is shown.
  await page.getByText('Integration saved.').waitFor()
  await done()
  expect(operations).toEqual(['mutation UpdateIntegration'])
})

test('every component of the library has its style', () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]+/g))
  const built = (extension: string) =>
    readdirSync(path.join(root, 'dist/dashboard/assets'))
      .filter((name) => name.endsWith(extension))
      .map((name) => readFileSync(path.join(root, 'dist/dashboard/assets', name), 'utf8'))
      .join('\n')
  const styled = classesIn(built('.css'))
  const known = classesIn(readFileSync(path.join(root, 'node_modules/@mantine/core/styles.css'), 'utf8'))
  const missing = [...classesIn(built('.js'))].filter((name) => known.has(name) && !styled.has(name))
  // src/dashboard/styles.css imports the style of each component.
  expect(missing).toEqual([])
})
