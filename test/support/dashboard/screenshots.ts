// Takes screenshots of every page of the dashboard with example data: `npm run screenshots [folder]`.
// Each page is taken in light and dark, and on a narrow screen. The ones of the documentation go to docs/images.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { chromiumPath, noChromium } from './chromium-path.ts'

const root = path.join(import.meta.dirname, '../../..')

/** The color schemes and sizes in which every page is taken. */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 960 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 960 } },
  narrow: { colorScheme: 'light', viewport: { width: 380, height: 760 } },
} as const
type Look = keyof typeof looks

/** The pages by file name. Braces stand for an id of the example data. */
const pages = {
  home: '/',
  events: '/events',
  event: '/events/{event}?subscriber={subscriber}',
  deliveries: '/deliveries',
  workflows: '/workflows',
  workflow: '/workflows/{workflow}',
  integrations: '/integrations',
  integration: '/integrations/{integration}',
  'integration-paused': '/integrations/demo-push',
  'event-waiting': '/events/{waiting}?subscriber={waitingSubscriber}',
  subscribers: '/subscribers',
  'subscriber-profile': '/subscribers/{subscriber}',
  'subscriber-preferences': '/subscribers/{subscriber}/preferences',
  'subscriber-activity': '/subscribers/{subscriber}/activity',
  'subscriber-feed': '/subscribers/{subscriber}/feed',
  'subscriber-consent': '/subscribers/{subscriber}/consent',
  categories: '/categories',
  topics: '/topics',
  topic: '/topics/{topic}',
  suppressions: '/suppressions',
  contexts: '/contexts',
  context: '/contexts/{context}',
  'channel-endpoints': '/channel-endpoints',
  'channel-endpoint': '/channel-endpoints/{endpoint}',
  webhooks: '/webhooks',
  environments: '/environments',
} as const
type Name = keyof typeof pages

/** The images in docs/images. */
const documented: readonly (readonly [name: Name, look: Look])[] = [
  ['home', 'light'],
  ['workflow', 'light'],
  ['event', 'light'],
  ['subscriber-activity', 'dark'],
]

/** The newest object of each noun, and the newest failed and waiting messages with their events and subscribers. */
const idsQuery = `{
  failures: deliveries(first: 1, filter: { status: FAILED }) {
    nodes { event { id: transactionId } subscriber { id: subscriberId } }
  }
  waiting: deliveries(first: 1, filter: { status: PENDING }) {
    nodes { event { id: transactionId } subscriber { id: subscriberId } }
  }
  workflows(first: 1) { nodes { id: identifier } }
  integrations(first: 1) { nodes { id: identifier } }
  topics(first: 1) { nodes { id: key } }
  contexts(first: 1) { nodes { id: key } }
  endpoints: channelEndpoints(first: 1) { nodes { id: identifier } }
}`

const noun = z.object({ id: z.string() })
const messages = z.object({ nodes: z.tuple([z.object({ event: noun, subscriber: noun })]) })
const answer = z.object({
  data: z.object({ failures: messages, waiting: messages }).catchall(z.object({ nodes: z.tuple([noun]) })),
})

const port = 3950
const address = `http://127.0.0.1:${port}`

async function readIds(key: string): Promise<Record<string, string>> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: idsQuery }),
  })
  const { failures, waiting, ...lists } = answer.parse(await response.json()).data
  const newest = Object.entries(lists).map(
    ([
      list,
      {
        nodes: [node],
      },
    ]) => [list.replace(/s$/, ''), node.id] as const,
  )
  const [{ event, subscriber }] = failures.nodes
  const [held] = waiting.nodes
  return {
    ...Object.fromEntries(newest),
    ...{ event: event.id, subscriber: subscriber.id },
    ...{ waiting: held.event.id, waitingSubscriber: held.subscriber.id },
  }
}

async function startGateway(settings: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const gateway = spawn(process.execPath, [path.join(root, 'dist/main.js')], {
    env: settings,
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (;;) {
    const isReady = await fetch(`${address}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return gateway
    if (gateway.exitCode !== null) throw new Error('the gateway did not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function openPage(browser: Browser, look: Look, key: string): Promise<Page> {
  const page = await (await browser.newContext(looks[look])).newPage()
  await page.goto(address)
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('banner').waitFor()
  // Moves the pointer away from all elements.
  await page.mouse.move(0, 0)
  return page
}

/** Waits until the page has its content and nothing moves any more. */
async function complete(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.waitForTimeout(500)
  await page.waitForFunction(() => document.querySelector('main [role=status][aria-label=Loading]') === null)
  await page.waitForTimeout(500)
}

/** Actions on a page before its screenshot is taken. */
const preparations: Partial<Record<Name, (page: Page) => Promise<void>>> = {
  async event(page) {
    await page
      .getByRole('region', { name: /^Message to/ })
      .first()
      .scrollIntoViewIfNeeded()
  },
  async workflow(page) {
    await page.getByRole('combobox', { name: 'Subscriber' }).click()
    await page.getByRole('option').first().click()
    await page
      .getByRole('region', { name: /^Preview of/ })
      .first()
      .waitFor()
    await page.mouse.move(0, 0)
    await complete(page)
  },
}

async function take(folder: string): Promise<void> {
  if (chromiumPath === undefined) throw new Error(noChromium)
  const data = await mkdtemp(path.join(tmpdir(), 'gateway-screenshots-'))
  // The example data is sent to an address of this machine, so a preview without the setting would say that it fails.
  const settings = { PORT: String(port), METRICS_PORT: 'off', DATA_DIR: data, ALLOW_PRIVATE_ADDRESSES: 'on' }
  const gateway = await startGateway(settings)
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  try {
    const demo = [path.join(root, 'dist/command-line.js'), 'demo', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, demo, { env: settings })
    const { key } = JSON.parse(stdout) as { key: string }
    const ids = await readIds(key)
    await mkdir(folder, { recursive: true })
    for (const look of Object.keys(looks) as Look[]) {
      const page = await openPage(browser, look, key)
      for (const name of Object.keys(pages) as Name[]) {
        const template = pages[name]
        await page.goto(
          `${address}/#${template.replaceAll(/\{(\w+)\}/g, (_, noun: string) => encodeURIComponent(ids[noun] ?? ''))}`,
        )
        // A change of the fragment loads no document, and only a new document shows that the page is complete.
        await page.reload()
        await complete(page)
        await preparations[name]?.(page)
        await page.screenshot({ path: path.join(folder, `${name}-${look}.png`) })
      }
    }
    const images = path.join(root, 'docs/images')
    await mkdir(images, { recursive: true })
    for (const [name, look] of documented) {
      await copyFile(path.join(folder, `${name}-${look}.png`), path.join(images, `${name}.png`))
    }
  } finally {
    await browser.close()
    gateway.kill()
    await once(gateway, 'close')
    await rm(data, { recursive: true })
  }
}

const folder = path.resolve(process.argv[2] ?? path.join(tmpdir(), 'dashboard-screenshots'))
await take(folder)
console.log(`The screenshots are in ${folder}, and those of the documentation in docs/images.`)
