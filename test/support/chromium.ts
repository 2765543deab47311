// Chromium for browser tests, where the system has it: nothing is downloaded.
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of the executable; undefined when Chromium is not installed. */
export const chromiumPath = places.find((place) => existsSync(place))

/** The reason for skipping a test without Chromium. */
export const noChromium = `there is no Chromium at ${places.join(', ')}: install Debian's package "chromium"`

/** A page in a new browser, which is closed when the test ends. */
export async function openPage(url: string): Promise<Page> {
  if (chromiumPath === undefined) throw new Error(noChromium)
  // Chromium's sandbox needs rights that a container lacks, and the tests open only our own pages.
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  return page
}
