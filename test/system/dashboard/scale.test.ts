// The dashboard in a large environment, on a wide and on a narrow screen: what its pages and the stories of its users cost.
// Elements and widths have bounds. Times depend on the machine, and are printed for people.
import type { Locator } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { type Failure, largeStories } from '../../support/dashboard/large-stories.ts'
import { createMeter, lineOf } from '../../support/dashboard/meter.ts'
import { freshSettings, runCommand, send } from '../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const MAX_ELEMENTS = 3_000

/** Most of it is for the data, on a busy machine. */
const LONG = 600_000

const created = z.object({ key: z.string(), subscribers: z.number(), seconds: z.number() })
const signIn = z.object({ url: z.string() })
const failures = z.object({ deliveries: z.object({ nodes: z.array(z.custom<Failure>()) }) })

const failuresQuery = `{
  deliveries(first: 1, filter: { status: FAILED, workflowIdentifier: "newsletter" }) {
    nodes { event { transactionId } subscriber { subscriberId email } }
  }
}`

/** Each page with what is there once it is complete. */
function pagesIn(main: Locator, { event, subscriber }: Failure): readonly (readonly [string, string, Locator])[] {
  const row = (number: number) => main.getByRole('row').nth(number)
  const person = `/subscribers/${subscriber.subscriberId}`
  return [
    ['Home', '/', main.getByRole('region', { name: 'Recent events' }).getByRole('link').first()],
    ['events', '/events?rows=100', row(100)],
    ['event of 10,000', `/events/${event.transactionId}`, main.getByRole('region', { name: /^Run for/ }).nth(19)],
    ['its failures', `/events/${event.transactionId}?outcome=FAILED`, main.getByText('no such recipient').first()],
    ['messages', '/deliveries?rows=100', row(100)],
    ['subscribers', '/subscribers?rows=100', row(100)],
    ['subscribers by name', '/subscribers?search=okafor', row(20)],
    ['person', person, main.getByRole('heading', { level: 1 })],
    ['preferences', `${person}/preferences`, row(21)],
    ['preferences, 50 rows', `${person}/preferences?rows=50`, row(51)],
    ['topic of 100,000', '/topics/everyone?rows=100', row(100)],
    ['topic of 10,000', '/topics/newsletter', row(20)],
    ['workflows', '/workflows?rows=100', row(100)],
  ]
}

test('pages and stories of 100,000 people and 1,000 workflows stay small', { timeout: LONG }, async ({ skip }) => {
  const settings = { ...(await freshSettings()), ALLOW_PRIVATE_ADDRESSES: 'on' }
  const { page: first, address } = await openStory(skip, settings)
  const command = async (words: string) => {
    const { code, stdout, stderr } = await runCommand({ ...settings, BASE_URL: address }, words.split(' '))
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout) as unknown
  }
  const { key, subscribers, seconds } = created.parse(await command('demo --large --json'))
  expect(subscribers).toBe(100_000)
  console.info(`demo --large: ${seconds} s`)
  const { body } = await send(address, key, failuresQuery)
  const [failure] = failures.parse(Object(body).data).deliveries.nodes
  if (failure === undefined) throw new Error('no message of the large event has failed')
  for (const width of [1440, 390]) {
    // Another browser profile, in which nobody has signed in.
    const context = await first
      .context()
      .browser()
      ?.newContext({ viewport: { width, height: 900 } })
    if (context === undefined) throw new Error('the browser has ended')
    const page = await context.newPage()
    const meter = await createMeter(page)
    const take = async (name: string, act: () => Promise<unknown>) => {
      const cost = await meter(act)
      console.info(lineOf(name, width, cost))
      expect(cost.elements, `elements of ${name}`).toBeLessThanOrEqual(MAX_ELEMENTS)
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      // Elements that measure their own width follow a change of it a moment later.
      await expect.poll(overflow, { message: `pixels that ${name} is too wide at ${width}` }).toBe(0)
    }
    const { url } = signIn.parse(await command('login --environment Demo --json'))
    for (const [name, act] of Object.entries(largeStories)) {
      await take(name, () => act({ page, width, failure, link: url, receiver: receiver.url }))
    }
    for (const [name, path, sign] of pagesIn(page.getByRole('main'), failure)) {
      await page.goto('about:blank')
      await take(name, async () => {
        await page.goto(`${address}/#${path}`)
        await sign.waitFor()
      })
    }
    await context.close()
  }
})
