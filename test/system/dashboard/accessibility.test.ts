// What axe finds in the dashboard: every page and every dialog, light and dark, on a wide and on a narrow screen.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { findingsOn } from '../../support/dashboard/axe.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { furnishPlaces } from '../../support/dashboard/furnish-places.ts'
import {
  dialogs,
  emptyLists,
  failedLists,
  listsWithoutMatch,
  pages,
  type Place,
} from '../../support/dashboard/places.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

/** Five and a half minutes on two cores when nothing else runs. */
const LONG = 1_200_000

/** Opens a place. */
async function go({ page, visit, ask }: Story, { path, sign, act, result = '' }: Place): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 })
  await visit(path)
  await page.getByText(sign).filter({ visible: true }).first().waitFor({ timeout: 20_000 })
  await act?.(page, ask)
  if (act !== undefined) await page.getByText(result).filter({ visible: true }).first().waitFor({ timeout: 20_000 })
}

/** What is wrong with the current state of the page, in each of its looks. Only the colors differ in dark mode. */
async function wrongOn({ page }: Story): Promise<string[]> {
  const wrong: string[] = []
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' })
      const findings = await findingsOn(page, colorScheme === 'light' ? 'all' : 'colors')
      wrong.push(...findings.map((finding) => `${width} ${colorScheme}: ${finding}`))
    }
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    // Elements that measure their own width follow a change of it a moment later.
    await expect.poll(overflow, { timeout: 5_000, message: `pixels too wide at ${width}` }).toBe(0)
  }
  return wrong
}

/** Opens a place, and returns what is wrong there. */
async function lookAt(story: Story, place: Place): Promise<string[]> {
  await go(story, place)
  const wrong = await wrongOn(story)
  await place.end?.(story.page, story.ask)
  return wrong
}

/** Closes what is open: options, their dialog, and a question above it. */
async function close({ page }: Story): Promise<void> {
  const open = page.locator('[role="dialog"], [role="menu"]').filter({ visible: true })
  for (let presses = 0; presses < 4 && (await open.count()) > 0; presses += 1) await page.keyboard.press('Escape')
}

/** Goes to each place. @returns what is wrong, by the place. */
async function visitAll(story: Story, places: readonly Place[]): Promise<object> {
  const found: [string, readonly string[]][] = []
  const begin = performance.now()
  for (const place of places) {
    const wrong = await lookAt(story, place).catch((error: unknown) => [String(error)])
    if (wrong.length > 0) found.push([`${place.path} ${String(place.result ?? place.sign)}`, wrong])
    await close(story)
  }
  console.info(`${places.length} places: ${Math.round(performance.now() - begin)} ms`)
  return Object.fromEntries(found)
}

test(
  'axe finds nothing on any page, in any list without rows, and in any dialog',
  { timeout: LONG },
  async ({ skip }) => {
    const story = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'on' })
    const { page } = story
    expect.soft(await visitAll(story, emptyLists)).toEqual({})
    receiver.answer(422, 'the inbox of ada is full')
    const ids = await furnishPlaces(story, receiver.url)
    await page.reload()
    expect.soft(await visitAll(story, pages(ids))).toEqual({})
    expect.soft(await visitAll(story, listsWithoutMatch)).toEqual({})
    expect.soft(await visitAll(story, dialogs(ids))).toEqual({})

    // Without what was read before.
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.route('**/graphql', (route) => route.fulfill({ json: { errors: [{ message: 'Out of order' }] } }))
    expect.soft(await visitAll(story, failedLists)).toEqual({})
    await page.unroute('**/graphql')
    await page.clock.setFixedTime(Date.now() + 13 * 3_600_000)
    expect
      .soft(await visitAll(story, [{ path: '/topics', sign: /^The session for Development has ended/ }]))
      .toEqual({})
  },
)
