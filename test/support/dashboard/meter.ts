// What a page or a story of the dashboard costs: clicks, time, bytes and elements.
import type { Page } from 'playwright-core'

interface Cost {
  readonly clicks: number
  /** Of this machine, as busy as it is. For people, never for a test. */
  readonly milliseconds: number
  /** Bytes of the responses as they were sent, without the cache of the browser. */
  readonly bytes: number
  /** Elements of the document at the end. */
  readonly elements: number
}

/** Measures an act on a page. */
type Meter = (act: () => Promise<unknown>) => Promise<Cost>

/** Starts to count on a page. Presses of the pointer count as clicks, what is typed does not. */
export async function createMeter(page: Page): Promise<Meter> {
  let bytes = 0
  let clicks = 0
  const browser = await page.context().newCDPSession(page)
  await browser.send('Network.enable')
  await browser.send('Network.setCacheDisabled', { cacheDisabled: true })
  browser.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.exposeBinding('countClick', () => {
    clicks += 1
  })
  const count = "addEventListener('mousedown', () => void countClick(), true)"
  await page.addInitScript(count)
  await page.evaluate(count)
  return async (act) => {
    bytes = 0
    clicks = 0
    const start = performance.now()
    await act()
    const milliseconds = performance.now() - start
    const elements = await page.locator('*').count()
    return { clicks, milliseconds, bytes, elements }
  }
}

const KB = 1024

/** One line of a table. */
export const lineOf = (name: string, width: number, { clicks, milliseconds, bytes, elements }: Cost): string =>
  [
    name.padEnd(44),
    `${width} px`.padStart(8),
    `${clicks} clicks`.padStart(10),
    `${(milliseconds / 1000).toFixed(1)} s`.padStart(8),
    `${Math.round(bytes / KB)} KB`.padStart(8),
    `${elements} elements`.padStart(14),
  ].join(' ')

/** Starts to measure a story on the page that is open. @returns what ends it and prints its line, with the width. */
export async function measureStory(page: Page, name: string): Promise<() => Promise<void>> {
  const meter = await createMeter(page)
  let end = () => {}
  const cost = meter(() => new Promise<void>((resolve) => (end = resolve)))
  return async () => {
    end()
    console.info(lineOf(name, page.viewportSize()?.width ?? 0, await cost))
  }
}
