// An application whose pages show the published browser inbox, unmodified: it changed its addresses, and nothing else. One
// process of the gateway answers its pages, and another one its back end.
import { fileURLToPath } from 'node:url'
import type { Page, Response } from 'playwright-core'
import { expect } from 'vitest'
import { build } from 'vite'
import { sign } from '../browser.ts'
import { openPage } from '../dashboard/chromium.ts'
import { servePages } from '../inbox/served-page.ts'
import { freshSettings, send, started } from '../process/gateway-process.ts'

const KEY = 'key-of-an-application-that-moved'

/** The kinds of live connections that a page can choose. */
export type SocketKind = 'socket.io' | 'a plain WebSocket'

const socketOptions = (kind: SocketKind, address: string) =>
  kind === 'socket.io'
    ? { socketUrl: `${address}/novu` }
    : {
        socketUrl: `${address.replace('http', 'ws')}/novu/socket`,
        socketOptions: { socketType: 'cloud' },
      }

/** The script of the pages, as a bundler makes it. */
async function bundled(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: false,
      lib: { entry: fileURLToPath(new URL('shown-inbox.ts', import.meta.url)), formats: ['es'], fileName: 'page' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [output] = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  if (output?.type !== 'chunk') throw new Error('the script was not bundled')
  // It becomes part of HTML.
  return output.code.replaceAll('</script', String.raw`<\/script`)
}

const stepsOf = (origin: string) => [
  {
    inApp: {
      subject: 'Your order',
      body: '{{ payload.text }}',
      actions: [{ label: 'Track', url: `${origin}/track`, target: 'BLANK' }],
    },
  },
  { email: { subject: 'Your order', body: '{{ payload.text }}' } },
]

interface PageOptions {
  /** The id of the tenant whose notifications the page shows. */
  readonly tenant: string
  /** What the back end signs for the subscriber. Default: the hash that is right. */
  readonly subscriberHash?: string
}

/** Waits for the counts with which a live connection of a page begins. */
async function isLive(page: Page): Promise<void> {
  const socket = await page.waitForEvent('websocket')
  await socket.waitForEvent('framereceived', ({ payload }) => payload.toString().includes('unseen_count_changed'))
}

export type MovedApplication = Awaited<ReturnType<typeof startMovedApplication>>

/** Starts the gateway in two processes, which needs PostgreSQL, and an application with the workflow `order`. */
export async function startMovedApplication(kind: SocketKind) {
  const { origin, served } = await servePages()
  const settings = { ...(await freshSettings()), BOOTSTRAP_API_KEY: KEY, CORS_ORIGINS: origin }
  const first = await started(settings)
  const { address: backEnd } = await started(settings)
  const { address } = first
  const script = await bundled()

  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await send(backEnd, KEY, query, variables)
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const { environment } = await ask('{ environment { identifier } }')
  await ask('mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }', {
    input: { identifier: 'order', name: 'Orders', steps: stepsOf(origin) },
  })

  /** Shows a page of ada. @param ready what to wait for. */
  async function show<Ready>(
    { tenant, subscriberHash = sign('ada', { key: KEY }) }: PageOptions,
    ready: (page: Page) => Promise<Ready>,
  ): Promise<{ readonly page: Page; readonly found: Ready }> {
    const context = { tenant }
    const options = {
      applicationIdentifier: environment.identifier,
      subscriber: { subscriberId: 'ada' },
      ...{ subscriberHash, context, contextHash: sign(JSON.stringify(context), { key: KEY }) },
      apiUrl: `${address}/novu`,
      ...socketOptions(kind, address),
    }
    served.pages.set(
      `/${tenant}`,
      `<!doctype html><html lang="en"><head><title>Shop</title></head><body><div id="inbox"></div>
      <script id="options" type="application/json">${JSON.stringify(options)}</script>
      <script type="module">${script}</script></body></html>`,
    )
    const page = await openPage('about:blank')
    // Lets tests pass hours.
    await page.clock.install()
    const waiting = ready(page)
    await page.goto(`${origin}/${tenant}`)
    return { page, found: await waiting }
  }

  return {
    settings,
    origin,
    ask,
    /** Triggers the workflow for ada. */
    notify: async (tenant: string, text: string): Promise<void> => {
      const trigger = `mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }`
      const to = [{ subscriber: { subscriberId: 'ada' } }]
      const contexts = [{ type: 'tenant', identifier: tenant }]
      await ask(trigger, { input: { workflowIdentifier: 'order', to, contexts, payload: { text } } })
    },
    /** Opens a page of ada, and waits until it is live. */
    open: async (options: PageOptions): Promise<Page> => (await show(options, isLive)).page,
    /** Opens a page, and returns the status of the answer to its first request, which opens its session. */
    attempt: async (options: PageOptions) => {
      const isSession = (response: Response) => response.request().method() === 'POST'
      const { page, found } = await show(options, (shown) => shown.waitForResponse(isSession))
      return { page, status: found.status() }
    },
    /** Kills the process that answers the pages. @returns what starts another one at its address. */
    kill: async (): Promise<() => Promise<unknown>> => {
      await first.gateway.kill('SIGKILL')
      return () => started({ ...settings, PORT: new URL(address).port })
    },
  }
}
