// What axe finds on a page.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules whose result depends on the color scheme. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** Waits for what changes on the page: until then, colors are between two others. */
const settle = (page: Page) =>
  page.evaluate(async () => {
    const running = () =>
      document
        .getAnimations()
        .filter(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
    for (let all = running(); all.length > 0; all = running()) {
      await Promise.allSettled(all.map(({ finished }) => finished))
    }
  })

/**
 * Runs axe on the current state of a page.
 *
 * @param rules only those of colors, or all
 */
export async function findingsOn(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  await settle(page)
  // Once for each document: to load axe, and to run it for the first time, takes most of the time.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const violations = await page.evaluate(
    async (only) => {
      const { axe: loaded } = window as unknown as { axe: typeof axe }
      const results = await loaded.run(
        // Axe is a script, and a frame without scripts would never respond to it.
        { exclude: [['iframe[sandbox=""]']] },
        {
          // Without what is in order, and without the style sheets of other hosts.
          ...{ resultTypes: ['violations'], preload: false },
          ...(only === undefined ? {} : { runOnly: { type: 'rule', values: [...only] } }),
        },
      )
      /** A menu, a tooltip and the options of a field belong to their button or field, which moves through them. */
      const ofPopup = ['region', 'scrollable-region-focusable']
      const popups = '[role="tooltip"], [role="presentation"][data-position], [data-portal]:not(:has([role="dialog"]))'
      const isInPopup = ([selector]: unknown[]) =>
        typeof selector === 'string' && document.querySelector(selector)?.closest(popups) != null
      return results.violations
        .map(({ id, nodes }) => ({
          id,
          nodes: nodes.filter(({ target }) => !ofPopup.includes(id) || !isInPopup(target)),
        }))
        .filter(({ nodes }) => nodes.length > 0)
        .map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html) }))
    },
    rules === 'all' ? undefined : colorRules,
  )
  return violations.map(({ id, html }) => `${id}: ${html.join('\n')}`)
}
