// Takes screenshots of every page of the dashboard with example data: `npm run screenshots [folder]`.
// Each page is taken in light and dark, and on a narrow screen. The ones of the documentation go to docs/images.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath, noChromium } from './support/chromium-path.ts'

const root = path.join(import.meta.dirname, '..')

/** The looks in which every page is taken. */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 380, height: 760 } },
} as const
type Look = keyof typeof looks

/** The pages by the name of their file. Braces stand for an id of the example data. */
const pages = {
  home: '/',
  events: '/events',
  event: '/events/{event}',
  workflows: '/workflows',
  workflow: '/workflows/{workflow}',
  integrations: '/integrations',
  integration: '/integrations/{integration}',
  subscribers: '/subscribers',
  'subscriber-profile': '/subscribers/{subscriber}',
  'subscriber-preferences': '/subscribers/{subscriber}/preferences',
  'subscriber-activity': '/subscribers/{subscriber}/activity',
  'subscriber-feed': '/subscribers/{subscriber}/feed',
  topics: '/topics',
  topic: '/topics/{topic}',
  contexts: '/contexts',
  context: '/contexts/{context}',
  'channel-endpoints': '/channel-endpoints',
  'channel-endpoint': '/channel-endpoints/{endpoint}',
  environments: '/environments',
} as const
type Name = keyof typeof pages

/** The pictures in docs/images. */
const documented: readonly (readonly [name: Name, look: Look])[] = [
  ['home', 'light'],
  ['workflow', 'light'],
  ['event', 'light'],
  ['subscriber-activity', 'dark'],
]

/** The newest of each noun. */
const idsQuery = `{
  events(first: 1, filter: { status: COMPLETED }) { nodes { id: transactionId } }
  workflows(first: 1) { nodes { id: identifier } }
  integrations(first: 1) { nodes { id: identifier } }
  subscribers(first: 1) { nodes { id: subscriberId } }
  topics(first: 1) { nodes { id: key } }
  contexts(first: 1) { nodes { id: key } }
  endpoints: channelEndpoints(first: 1) { nodes { id: identifier } }
}`

const port = 3950
const address = `http://127.0.0.1:${port}`

async function readIds(key: string): Promise<Record<string, string>> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: idsQuery }),
  })
  const { data } = (await response.json()) as { data: Record<string, { nodes: { id: string }[] }> }
  return Object.fromEntries(
    Object.entries(data).map(([list, { nodes }]) => [list.replace(/s$/, ''), nodes[0]?.id ?? '']),
  )
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
  return page
}

async function take(folder: string): Promise<void> {
  if (chromiumPath === undefined) throw new Error(noChromium)
  const data = await mkdtemp(path.join(tmpdir(), 'gateway-screenshots-'))
  const settings = { PORT: String(port), METRICS_PORT: 'off', DATA_DIR: data }
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
      for (const [name, template] of Object.entries(pages)) {
        await page.goto(
          `${address}/#${template.replace(/\{(\w+)\}/, (_, noun: string) => encodeURIComponent(ids[noun] ?? ''))}`,
        )
        await page.waitForLoadState('networkidle')
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
