// What a person does not see of a page in tests: warnings and errors in the console, and requests that the page calls off.
import type { Page, Request } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { openPage } from './chromium.ts'

/** A page whose test fails if something goes wrong on it, or on another tab of its profile. */
export interface WatchedPage {
  readonly page: Page
  /** Declares what the story is about, such as a gateway that does not respond. */
  readonly allow: (expected: RegExp) => void
  /** Reports something else that is wrong. */
  readonly report: (problem: string) => void
}

/** A request that the page has called off, until there is a cause. */
interface CalledOff {
  readonly page: Page
  readonly request: Request
  /** Milliseconds of the clock of this process. */
  readonly time: number
}

/**
 * Milliseconds between a cause and the requests that it ends. A page leaves once the next one has been loaded, and the
 * report of a request may precede that of the cause, because they take different ways.
 */
const LAG = 2_000

const nameOf = (request: Request): string => {
  const { operationName } = Object(request.method() === 'POST' ? request.postDataJSON() : undefined) as {
    readonly operationName?: string
  }
  return operationName ?? ''
}

/** @returns undefined for a request of a worker, and for one whose page is gone. */
function pageOf(request: Request): Page | undefined {
  try {
    return request.serviceWorker() === null ? request.frame().page() : undefined
  } catch {
    return undefined
  }
}

/** True for a stream, which ends when nobody looks at it. */
const isStream = (request: Request): boolean => request.headers()['accept']?.startsWith('text/event-stream') === true

/**
 * True if a later request is a reason not to wait for this one: it asks the same question with other words, or again
 * after a mutation, because the first answer may be older.
 */
const replaces = (later: Request, earlier: Request): boolean =>
  nameOf(later) !== '' && nameOf(later) === nameOf(earlier)

/**
 * Collects the requests that a page has called off without a cause. Causes are another address, another document, a
 * closed tab, what someone has typed or pressed, and the same question asked again.
 */
async function watchRequests(page: Page): Promise<() => readonly string[]> {
  let calledOff: CalledOff[] = []
  /** The time of the latest cause on each page. */
  const causes = new WeakMap<Page, number>()
  /** The latest request on each page by its name. */
  const latest = new WeakMap<Page, Map<string, Request>>()
  const forgive = (other: Page) => {
    causes.set(other, performance.now())
    calledOff = calledOff.filter((one) => one.page !== other || performance.now() - one.time > LAG)
  }
  const follow = (other: Page) => {
    other.on('framenavigated', (frame) => {
      if (frame === other.mainFrame()) forgive(other)
    })
    other.on('close', () => forgive(other))
  }
  const context = page.context()
  await context.exposeBinding('noteAct', ({ page: other }) => forgive(other))
  await context.addInitScript(() => {
    for (const kind of ['pointerdown', 'keydown', 'input']) {
      window.addEventListener(kind, () => void Reflect.get(window, 'noteAct')(), true)
    }
  })
  follow(page)
  context.on('page', follow)
  context.on('request', (request) => {
    const other = pageOf(request)
    if (other === undefined) return
    if (request.isNavigationRequest() && request.frame() === other.mainFrame()) forgive(other)
    calledOff = calledOff.filter((one) => one.page !== other || !replaces(request, one.request))
    latest.set(other, (latest.get(other) ?? new Map<string, Request>()).set(nameOf(request), request))
  })
  context.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') return
    const other = pageOf(request)
    if (other === undefined || isStream(request)) return
    if (performance.now() - (causes.get(other) ?? -Infinity) < LAG) return
    const last = latest.get(other)?.get(nameOf(request))
    if (last !== undefined && last !== request && replaces(last, request)) return
    calledOff.push({ page: other, request, time: performance.now() })
  })
  return () => calledOff.map(({ request }) => `called off: ${request.method()} ${request.url()} ${nameOf(request)}`)
}

/** Opens a page in a new profile. The test fails at its end if something is wrong that it has not declared. */
export async function openWatchedPage(url: string): Promise<WatchedPage> {
  const page = await openPage('about:blank')
  const problems: string[] = []
  const expected: RegExp[] = []
  const calledOff = await watchRequests(page)
  page.context().on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    problems.push(`${message.type()} in the console: ${message.text()} (${message.location().url})`)
  })
  page.context().on('weberror', (error) => problems.push(`uncaught: ${error.error().message}`))
  onTestFinished(() => {
    const found = [...problems, ...calledOff()]
    expect(found.filter((problem) => !expected.some((one) => one.test(problem)))).toEqual([])
  })
  if (url !== 'about:blank') await page.goto(url)
  return {
    page,
    allow: (pattern) => void expected.push(pattern),
    report: (problem) => void problems.push(problem),
  }
}
