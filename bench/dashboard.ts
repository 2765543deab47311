// The weight of the dashboard's pages, and the time until they are ready on a slow processor.
// `npx tsx bench/dashboard.ts [--slower=4] [--rounds=3] [--before=../other-checkout]`
// starts the built gateway (`npm run build`) with example data on an embedded database, and opens each page in Chromium
// without a cache, with a processor that is `slower` times slower. With `--before`, the built gateway of another
// checkout runs beside it, both are opened in turn, and the last column is the ratio of the times. Ends with 1 if a page
// sends more requests than it may. Needs the system package chromium.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { chromiumPath, noChromium } from '../test/support/dashboard/chromium-path.ts'
import { type GatewayProcess, startGateway } from './support/gateway-process.ts'
import { median } from './support/median.ts'

const { values: options } = parseArgs({
  options: {
    slower: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    before: { type: 'string' },
  },
})
const slower = Number(options.slower)
const rounds = Number(options.rounds)
const here = path.join(import.meta.dirname, '..')
/** The requests that a page may send until it is ready. */
const MAX_REQUESTS = 15

const newest = z.object({
  data: z.object({
    events: z.object({ nodes: z.tuple([z.object({ transactionId: z.string() })]) }),
    subscribers: z.object({ nodes: z.tuple([z.object({ subscriberId: z.string() })]) }),
  }),
})
const newestQuery = '{ events(first: 1) { nodes { transactionId } } subscribers(first: 1) { nodes { subscriberId } } }'

interface Subject {
  readonly gateway: GatewayProcess
  readonly data: string
  readonly key: string
  /** The pages by name. */
  readonly paths: Readonly<Record<string, string>>
}

async function prepare(checkout: string): Promise<Subject> {
  const data = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
  const settings = { DATA_DIR: data, METRICS_PORT: 'off' }
  const gateway = await startGateway(settings, checkout)
  const { port } = new URL(gateway.address)
  const demo = [path.join(checkout, 'dist/command-line.js'), 'demo', '--json']
  const env = { ...settings, PORT: port }
  const { stdout } = await promisify(execFile)(process.execPath, demo, { env })
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(stdout))
  const response = await fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: newestQuery }),
  })
  const { events, subscribers } = newest.parse(await response.json()).data
  const paths = {
    'sign-in': '/',
    Home: '/',
    events: '/events',
    event: `/events/${encodeURIComponent(events.nodes[0].transactionId)}`,
    subscriber: `/subscribers/${encodeURIComponent(subscribers.nodes[0].subscriberId)}`,
    'workflow editor': '/workflows/comment-added',
  }
  return { gateway, data, key, paths }
}

interface Visit {
  readonly kilobytes: number
  readonly requests: number
  /** Milliseconds from the navigation until the page has its content. */
  readonly ready: number
  /** Milliseconds by which tasks were longer than 50 ms. */
  readonly blocked: number
}

/** Sums what long tasks block, from the beginning of the document. */
const observeTasks = () => {
  const tasks = { blocked: 0 }
  Object.assign(window, { tasks })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.blocked += duration - 50
  }).observe({ type: 'longtask', buffered: true })
}

/** Returns the time in the page as soon as it has its content. */
const readyAt = () => {
  const isLoading = document.querySelector('[role=status][aria-label=Loading]') !== null
  return document.querySelector('main h1') !== null && !isLoading ? performance.now() : false
}

async function visit(page: Page, url: string): Promise<Visit> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  let bytes = 0
  let requests = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
    requests += 1
  })
  await page.goto('about:blank')
  bytes = 0
  requests = 0
  await page.goto(url, { waitUntil: 'commit' })
  const ready = await (await page.waitForFunction(readyAt, undefined, { polling: 'raf' })).jsonValue()
  const blocked = z.number().parse(await page.evaluate('tasks.blocked'))
  await devtools.detach()
  return { kilobytes: bytes / 1024, requests, ready: Number(ready), blocked }
}

/** Opens every page once. @returns the visits by name. */
async function walk(browser: Browser, { gateway, key, paths }: Subject): Promise<Map<string, Visit>> {
  const page = await (await browser.newContext({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } })).newPage()
  await page.addInitScript(observeTasks)
  const visits = new Map<string, Visit>()
  for (const [name, to] of Object.entries(paths)) {
    visits.set(name, await visit(page, `${gateway.address}/#${to}`))
    if (name !== 'sign-in') continue
    await page.getByRole('textbox', { name: 'API key' }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }
  await page.context().close()
  return visits
}

async function end({ gateway, data }: Subject): Promise<void> {
  gateway.child.kill()
  await once(gateway.child, 'close')
  await rm(data, { recursive: true })
}

if (chromiumPath === undefined) throw new Error(noChromium)
const subjects = [await prepare(here)]
if (options.before !== undefined) subjects.push(await prepare(path.resolve(options.before)))
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
try {
  const walks = subjects.map(() => [] as Map<string, Visit>[])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) walks[index]?.push(await walk(browser, subject))
  }
  const figure = (index: number, name: string, of: keyof Visit) =>
    median((walks[index] ?? []).flatMap((visits) => visits.get(name)?.[of] ?? []))
  const pages = Object.keys(subjects[0]?.paths ?? {})
  console.table(
    Object.fromEntries(
      pages.map((name) => [
        name,
        {
          KB: Math.round(figure(0, name, 'kilobytes')),
          requests: figure(0, name, 'requests'),
          'ready after ms': Math.round(figure(0, name, 'ready')),
          'blocked ms': Math.round(figure(0, name, 'blocked')),
          ...(subjects.length > 1 && { ratio: (figure(0, name, 'ready') / figure(1, name, 'ready')).toFixed(2) }),
        },
      ]),
    ),
  )
  const heavy = pages.filter((name) => figure(0, name, 'requests') > MAX_REQUESTS)
  if (heavy.length > 0) {
    console.error(`More than ${MAX_REQUESTS} requests: ${heavy.join(', ')}`)
    process.exitCode = 1
  }
} finally {
  await browser.close()
  await Promise.all(subjects.map(end))
}
