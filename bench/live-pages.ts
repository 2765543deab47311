// The load of pages of the dashboard that follow what happens: the share of one core that a page takes.
// `npx tsx bench/live-pages.ts [postgresql://...] [--rate=100] [--seconds=20]` starts the built gateway (`npm run
// build`) on a temporary embedded database, or on a temporary database of the given server, and triggers events while
// Chromium shows each page. It ends with 1 if a share is over its bound.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CDPSession, chromium } from 'playwright-core'
import { chromiumPath, noChromium } from '../test/support/dashboard/chromium-path.ts'
import { startGateway } from './support/gateway-process.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({
  allowPositionals: true,
  options: { rate: { type: 'string', default: '100' }, seconds: { type: 'string', default: '20' } },
})
/** Events per second. */
const RATE = Number(options.rate)
/** Seconds of measurement for each page. */
const SECONDS = Number(options.seconds)
/** The share of one core that a page may take. */
const BOUND = 0.5

const KEY = 'key-of-the-live-pages-benchmark'

if (chromiumPath === undefined) throw new Error(noChromium)
const folder = await mkdtemp(path.join(tmpdir(), 'live-pages-'))
const database = server === undefined ? undefined : await createDatabase(server, 'live_pages')
const gateway = await startGateway({
  ...(database === undefined ? { DATA_DIR: folder } : { DATABASE_URL: database.url }),
  ...{ BOOTSTRAP_API_KEY: KEY, METRICS_PORT: 'off' },
})
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })

async function send(mutation: string, type: string, input: object): Promise<void> {
  const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { userErrors { message } } }`
  const response = await fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { Authorization: `ApiKey ${KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  })
  const text = await response.text()
  if (!text.includes('"userErrors":[]')) throw new Error(`${mutation}: ${text.slice(0, 300)}`)
}

/** Triggers events at the rate until the signal. @returns the number of events. */
async function triggerUntil(signal: AbortSignal): Promise<number> {
  const portion = Array.from({ length: RATE }, (_, n) => ({
    workflowIdentifier: 'bell',
    to: [{ subscriber: { subscriberId: `user-${n}` } }],
  }))
  let count = 0
  for (let next = performance.now(); !signal.aborted; next += 1_000) {
    await send('triggerEvents', 'TriggerEventsInput', { events: portion })
    count += RATE
    await pause(Math.max(0, next + 1_000 - performance.now()))
  }
  return count
}

/** Seconds for which the main thread of the page has worked. */
async function taskTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

try {
  await send('createWorkflow', 'CreateWorkflowInput', {
    ...{ identifier: 'bell', name: 'Bell', steps: [{ inApp: { body: 'Hello' } }] },
  })
  const page = await browser.newPage()
  await page.goto(gateway.address)
  await page.getByRole('textbox', { name: 'API key' }).fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('banner').waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const shares: number[] = []
  for (const address of ['/', '/events', '/deliveries', '/workflows/bell?tab=runs']) {
    const ending = new AbortController()
    const triggered = triggerUntil(ending.signal)
    await page.goto(`${gateway.address}/#${address}`)
    // The first queries are no part of it.
    await pause(3_000)
    let requests = 0
    page.on('request', () => (requests += 1))
    const [before, began] = [await taskTime(session), performance.now()]
    await pause(SECONDS * 1_000)
    const elapsed = (performance.now() - began) / 1_000
    const share = ((await taskTime(session)) - before) / elapsed
    page.removeAllListeners('request')
    ending.abort()
    const rate = (await triggered) / (elapsed + 3)
    shares.push(share)
    const perSecond = (requests / elapsed).toFixed(2)
    console.log(`${address}: ${share.toFixed(2)} of one core, ${perSecond} requests/s, ${rate.toFixed(0)} events/s`)
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)}`)
  if (shares.some((share) => share > BOUND)) process.exitCode = 1
} finally {
  await browser.close()
  gateway.child.kill()
  await once(gateway.child, 'close')
  await database?.remove()
  await rm(folder, { recursive: true, force: true })
}
