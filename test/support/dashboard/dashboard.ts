// The dashboard in a browser, served by a real process. Stories use it as people do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { holdDirectory } from '../../../src/data/embedded/directory-lock.ts'
import { findingsOn } from './axe.ts'
import { closeBrowser } from './chromium.ts'
import { chromiumPath, noChromium } from './chromium-path.ts'
import { closeGateways, placeOn, placeOnOwn } from './shared-gateway.ts'
import { openWatchedPage, type WatchedPage } from './watch.ts'
import { build, send, type Settings, until } from '../process/gateway-process.ts'

const root = path.join(import.meta.dirname, '../../..')

/** The pages that Vite builds, each from a folder in src into the folder of the same name in dist. */
const pages = [
  { name: 'dashboard', config: '.config/vite.ts', result: 'index.html' },
  { name: 'inbox', config: '.config/vite.inbox.ts', result: 'inbox.js' },
  { name: 'graphiql', config: '.config/vite.graphiql.ts', result: 'index.html' },
] as const

type BuiltPage = (typeof pages)[number]

function isBuilt({ name, result }: BuiltPage): boolean {
  const source = path.join(root, 'src', name)
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  const changed = Math.max(...files.map((file) => statSync(path.join(source, file)).mtimeMs))
  const built = path.join(root, 'dist', name, result)
  return existsSync(built) && statSync(built).mtimeMs > changed
}

/** Ends the browser and the gateways that the stories of a test file share. */
async function end(): Promise<void> {
  await closeBrowser()
  await closeGateways()
}

/**
 * Builds the gateway and its pages, unless they are up to date. Of concurrent test files, only one builds.
 *
 * @returns what ends the browser and the gateways after the tests of the file
 */
export async function buildDashboard(): Promise<() => Promise<void>> {
  await build()
  const letGo = await until(() => holdDirectory(path.join(root, 'dist')))
  try {
    for (const page of pages.filter((each) => !isBuilt(each))) {
      const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', page.config, '--logLevel', 'warn']
      // Not the mode of the tests, in which the libraries would include development checks.
      const env = { NODE_ENV: 'production' }
      const [code] = await once(spawn(process.execPath, vite, { cwd: root, env, stdio: 'inherit' }), 'close')
      if (code !== 0) throw new Error(`Vite cannot build src/${page.name}`)
    }
  } finally {
    await letGo()
  }
  return end
}

const created = z.object({ createApiKey: z.object({ newApiKey: z.object({ key: z.string() }) }) })

/** A person at the dashboard of a new organization. */
export interface Story extends Pick<WatchedPage, 'page' | 'allow'> {
  readonly address: string
  /** The API key that signed in: FULL, of the environment Development. */
  readonly key: string
  /** The ADMIN key of the environment Production. */
  readonly productionKey: string
  /** Sends a GraphQL operation with the key of the environment. @returns the data. */
  readonly ask: (query: string, variables?: Record<string, unknown>) => Promise<unknown>
  /** Signs out, and signs in again with a read-only key. */
  readonly becomeReader: () => Promise<void>
  /** Opens a page of the dashboard by its path. */
  readonly visit: (path: string) => Promise<void>
  /**
   * Audits the current screen, if accessibility.test.ts does not open it: nothing found by axe in light and dark mode,
   * nothing wider than a screen of 380 pixels.
   */
  readonly audit: () => Promise<void>
}

/**
 * Signs in to a new organization. The story fails if the page prints a warning or an error, calls off a request without
 * a cause, or asks another host for something. Skips the test if there is no browser.
 *
 * @param settings of the gateway, which the stories of the file with the same settings share
 */
export async function openStory(
  skip: (condition: boolean, note: string) => void,
  settings: Settings = {},
): Promise<Story> {
  skip(chromiumPath === undefined, noChromium)
  const place = 'DATA_DIR' in settings ? placeOnOwn : placeOn
  const { address, development: key, production: productionKey } = await place(settings)
  const { page, allow, report } = await openWatchedPage('about:blank')
  // During an animation, an audit would see half-transparent colors.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(data|blob|about):/.test(url) && !url.startsWith(address)) report(`request to ${url}`)
  })
  const ask: Story['ask'] = async (query, variables = {}) => {
    const { body } = await send(address, key, query, variables)
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const signIn = async (own: string) => {
    await page.getByRole('textbox', { name: 'API key' }).fill(own)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }
  await page.goto(address)
  await signIn(key)

  return {
    ...{ page, allow, address, key, productionKey, ask },
    async becomeReader() {
      const data = await ask(
        'mutation { createApiKey(input: { name: "Reader", access: READ_ONLY }) { newApiKey { key } } }',
      )
      const { createApiKey } = created.parse(data)
      await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await signIn(createApiKey.newApiKey.key)
    },
    async visit(to) {
      await page.goto(`${address}/#${to}`)
    },
    async audit() {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        // Only the colors differ in dark mode.
        const findings = () => findingsOn(page, colorScheme === 'dark' ? 'colors' : 'all')
        // A fading color has too little contrast until the animation ends.
        await expect.poll(findings, { timeout: 10_000, message: `axe, ${colorScheme}` }).toEqual([])
      }
      const wide = page.viewportSize() ?? { width: 1280, height: 720 }
      await page.setViewportSize({ width: 380, height: 720 })
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      // Elements that measure their own width, such as tabs, follow the new size a moment later.
      await expect.poll(overflow, { timeout: 10_000, message: `pixels too wide: ${page.url()}` }).toBe(0)
      await page.setViewportSize(wide)
    },
  }
}
