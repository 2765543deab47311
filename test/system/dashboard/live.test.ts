// Pages of the dashboard that show what happens elsewhere, without a reload.
import { beforeAll, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

const receiver = useReceiver()

const act = (mutation: string, type: string) =>
  `mutation ($input: ${type}!) { ${mutation}(input: $input) { userErrors { message } } }`

const trigger = ({ ask }: Story, transactionId: string) =>
  ask(act('triggerEvent', 'TriggerEventInput'), {
    input: {
      workflowIdentifier: 'order',
      transactionId,
      to: [{ subscriber: { subscriberId: 'ada', email: 'ada@example.com' } }],
    },
  })

async function openOrders(skip: Parameters<typeof openStory>[0]): Promise<Story> {
  const story = await openStory(skip, { ALLOW_PRIVATE_ADDRESSES: 'on' })
  await story.ask(act('createIntegration', 'CreateIntegrationInput'), {
    input: { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl: receiver.url } },
  })
  await story.ask(act('createWorkflow', 'CreateWorkflowInput'), {
    input: { identifier: 'order', name: 'Order', steps: [{ email: { subject: 'Late', body: 'Sorry' } }] },
  })
  return story
}

test('someone watches events that are triggered elsewhere, on every page that shows them', async ({ skip }) => {
  const story = await openOrders(skip)
  const { page, visit } = story
  await page.getByRole('heading', { name: 'Send your first notification' }).waitFor()
  await trigger(story, 'order-1')
  await page.getByRole('region', { name: 'Recent events' }).getByRole('link', { name: 'order-1' }).waitFor()

  const done = await measureStory(page, 'events that are triggered elsewhere')
  const rowOf = (transactionId: string) => page.getByRole('row', { name: new RegExp(transactionId) })
  await visit('/events')
  await rowOf('order-1').getByText('Delivered').waitFor()
  await trigger(story, 'order-2')
  await rowOf('order-2').getByText('Delivered').waitFor()

  await visit('/deliveries')
  await rowOf('order-2').getByText('Sent').waitFor()
  await trigger(story, 'order-3')
  await rowOf('order-3').getByText('Sent').waitFor()

  await visit('/workflows/order?tab=runs')
  await rowOf('order-3').getByText('Delivered').waitFor()
  await trigger(story, 'order-4')
  await rowOf('order-4').getByText('Delivered').waitFor()
  await done()
})

test('someone watches an event whose message is tried again', async ({ skip }) => {
  const story = await openOrders(skip)
  const { page, visit } = story
  receiver.answer(500, 'out of order')
  await trigger(story, 'order-1')
  await visit('/events/order-1')
  await page.getByText('out of order').first().waitFor()
  receiver.answer(200)
  // The second attempt is made after a few seconds.
  await page.getByText('1 sent').first().waitFor()
})

/** Counts the requests for a query, by its name. */
function countsOf({ page }: Story, name: string): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.postDataJSON()?.operationName === name) count += 1
  })
  return () => count
}

test('a list is read once when it opens, does not move under the pointer or the focus, and its times age', async ({
  skip,
}) => {
  const story = await openOrders(skip)
  const { page, visit } = story
  await trigger(story, 'order-1')
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  const reads = countsOf(story, 'Events')
  await visit('/events')
  const table = page.getByRole('table', { name: 'Events' })
  const row = (transactionId: string) => table.getByRole('link', { name: transactionId })
  await row('order-1').waitFor()
  // What happened while the list was read is part of the first result of the stream, which would read it again.
  await trigger(story, 'order-2')
  await row('order-2').waitFor()
  const readsOfChange = reads()
  await page.reload()
  await row('order-2').waitFor()
  await visit('/deliveries')
  await page.getByRole('table', { name: 'Messages' }).getByText('Sent').first().waitFor()
  expect(reads() - readsOfChange).toBe(1)

  await visit('/events')
  await row('order-1').hover()
  const top = (await row('order-1').boundingBox())?.y
  await trigger(story, 'order-3')
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect((await row('order-1').boundingBox())?.y).toBe(top)
  expect(await row('order-3').count()).toBe(0)
  await page.mouse.move(0, 0)
  await row('order-3').waitFor()

  await row('order-3').focus()
  await trigger(story, 'order-4')
  await page.getByRole('button', { name: '1 new' }).click()
  await row('order-4').waitFor()

  const when = page.getByRole('row', { name: /order-4/ }).getByRole('time')
  const shown = await when.textContent()
  await expect.poll(() => when.textContent(), { timeout: 10_000 }).not.toBe(shown)
})

test('rows on a narrow screen stay where they are while their times age', async ({ skip }) => {
  const story = await openOrders(skip)
  const { page, visit } = story
  await page.setViewportSize({ width: 390, height: 900 })
  await trigger(story, 'order-1')
  await visit('/workflows/order?tab=runs')
  const row = page.getByRole('row', { name: /order-1/ })
  await row.getByText('Delivered').waitFor()
  const time = row.getByRole('time')
  const height = async () => (await row.boundingBox())?.height
  const created = Date.parse((await time.getAttribute('datetime')) ?? '')
  const heights: (number | undefined)[] = []
  for (const [seconds, text] of [
    [0, 'now'],
    [1, '1 second ago'],
    [59, '59 seconds ago'],
    [3_540, '59 minutes ago'],
  ] as const) {
    await page.clock.setFixedTime(created + seconds * 1_000)
    await expect.poll(() => time.innerText(), { timeout: 10_000 }).toBe(text)
    heights.push(await height())
  }
  expect(new Set(heights).size, heights.join(', ')).toBe(1)
})

test('someone who was offline sees the list and the next page without a reload', async ({ skip }) => {
  const story = await openOrders(skip)
  const { page, visit, allow } = story
  allow(/net::ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  await trigger(story, 'order-1')
  await visit('/events')
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  const alert = page.getByRole('alert').getByText(/The gateway does not respond/)

  await page.context().setOffline(true)
  await page.getByRole('textbox', { name: 'Transaction id' }).fill('order-1')
  await alert.waitFor()
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'order-1' }).waitFor()
  expect(await alert.count()).toBe(0)

  await page.context().setOffline(true)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Topics' }).click()
  await alert.waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Topics', level: 1 }).waitFor()

  await trigger(story, 'order-2')
  await visit('/events')
  await page.getByRole('link', { name: 'order-2' }).waitFor()
})
