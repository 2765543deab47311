// A page of a shop on an origin of its own, whose back end signs for Ada, and which shows <notification-inbox>.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { sign } from '../browser.ts'
import { findingsOn } from '../dashboard/axe.ts'
import { openPage } from '../dashboard/chromium.ts'
import { chromiumPath, noChromium } from '../dashboard/chromium-path.ts'
import { freshSettings, send, started } from '../process/gateway-process.ts'
import { servePages } from './served-page.ts'

const KEY = 'key-of-the-inbox-stories'

export interface Shop {
  readonly page: Page
  readonly address: string
  readonly origin: string
  /** Triggers the workflow for ada, in the context tenant:acme. */
  readonly notify: (text: string) => Promise<void>
  readonly ask: (query: string, variables?: Record<string, unknown>) => Promise<unknown>
  /** The errors and warnings in the console of the page so far. */
  readonly console: readonly string[]
}

interface ShopOptions {
  /** Fields of the in-app step, beside its subject and body. */
  readonly step?: Readonly<Record<string, unknown>>
  /** HTML in the head of the page. */
  readonly head?: string
  /** The HTML around the inbox. */
  readonly around?: (inbox: string) => string
  /** Attributes of the inbox, beside those of the session, which they replace. */
  readonly attributes?: Readonly<Record<string, string>>
  /** The Content-Security-Policy of the page. */
  readonly policy?: (address: string) => string
  /** True if the gateway allows the origin of the page. Default: true. */
  readonly allowed?: boolean
  /** Runs before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

const main = (inbox: string) => `<main><h1>Shop</h1>${inbox}</main>`

/** Opens the page. Skips the test if there is no browser. */
export async function openShop(
  skip: (condition: boolean, note: string) => void,
  { step, head = '', around = main, attributes, policy, allowed = true, prepare }: ShopOptions = {},
): Promise<Shop> {
  skip(chromiumPath === undefined, noChromium)
  const { origin, served } = await servePages()
  const settings = { ...(await freshSettings()), BOOTSTRAP_API_KEY: KEY, ...(allowed ? { CORS_ORIGINS: origin } : {}) }
  const { address } = await started(settings)
  served.policy = policy?.(address) ?? ''

  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await send(address, KEY, query, variables)
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const { environment } = await ask('{ environment { identifier } }')
  const create = `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }`
  const steps = [{ inApp: { subject: 'Your order', body: '{{ payload.text }}', ...step } }]
  await ask(create, { input: { identifier: 'order', name: 'Orders', steps } })

  // Otherwise, the page and the first trigger would both create Ada at the same time.
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } }
  }`)
  const context = JSON.stringify({ tenant: 'acme' })
  const all = {
    environment: environment.identifier,
    'subscriber-id': 'ada',
    'subscriber-hash': sign('ada', { key: KEY }),
    context,
    'context-hash': sign(context, { key: KEY }),
    ...attributes,
  }
  const written = Object.entries(all).map(([name, value]) => `${name}='${value}'`)
  const html = `<!doctype html><html lang="en"><head><title>Shop</title>
    <script type="module" src="${address}/inbox.js"></script>${head}</head>
    <body>${around(`<notification-inbox ${written.join(' ')}></notification-inbox>`)}</body></html>`
  served.pages.set('/', html)

  const page = await openPage('about:blank')
  // During an animation, an audit would see half-transparent colors.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const printed: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && printed.push(message.text()))
  page.on('pageerror', ({ message }) => printed.push(message))
  await prepare?.(page)
  await page.goto(origin)
  const trigger = `mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }`
  return {
    page,
    address,
    origin,
    ask,
    console: printed,
    async notify(text) {
      const to = [{ subscriber: { subscriberId: 'ada' } }]
      const contexts = [{ type: 'tenant', identifier: 'acme' }]
      await ask(trigger, { input: { workflowIdentifier: 'order', to, contexts, payload: { text } } })
    },
  }
}

/** Waits for a value, for as long as Playwright waits for an element. */
export const eventually = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 30_000 })

/** What axe finds on the page, in light and in dark. */
export async function findingsOf(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.addStyleTag({ content: `:root { color-scheme: ${colorScheme} }` })
    found.push(...(await findingsOn(page)).map((finding) => `${colorScheme}: ${finding}`))
  }
  return found
}
