// Pages in Chromium, for tests. The tests of a file share a browser, and each has a profile of its own.
import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { chromiumPath, noChromium } from './chromium-path.ts'

let browser: Promise<Browser> | undefined

/** Returns the browser of the test file, which its first page starts. */
function sharedBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(noChromium)
  // Chromium's sandbox needs rights that a container lacks, and the tests open only our own pages.
  browser ??= chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  return browser
}

/** Ends the browser of the test file. */
export async function closeBrowser(): Promise<void> {
  const started = browser
  browser = undefined
  await (await started)?.close()
}

const textOf = (page: Page) => page.innerText('body', { timeout: 1_000 }).catch(String)

/** A page in a new profile, which is closed when the test ends. If the test fails, the text on the page is printed. */
export async function openPage(url: string): Promise<Page> {
  const profile = await (await sharedBrowser()).newContext()
  onTestFinished(() => profile.close())
  const page = await profile.newPage()
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(`The page at the end, ${page.url()}:\n${await textOf(page)}`)
  })
  await page.goto(url)
  return page
}
