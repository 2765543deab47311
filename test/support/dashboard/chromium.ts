// Pages in Chromium, for tests.
import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { chromiumPath, noChromium } from './chromium-path.ts'

const textOf = (page: Page) => page.innerText('body', { timeout: 1_000 }).catch(String)

/** A page in a new browser, which is closed when the test ends. If the test fails, the text on the page is printed. */
export async function openPage(url: string): Promise<Page> {
  if (chromiumPath === undefined) throw new Error(noChromium)
  // Chromium's sandbox needs rights that a container lacks, and the tests open only our own pages.
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext()).newPage()
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(`The page at the end, ${page.url()}:\n${await textOf(page)}`)
  })
  await page.goto(url)
  return page
}
