// Many at once in the dashboard: selections, what they would change, and progress that can be left and found again.
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'
import { until } from '../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

const people = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ subscriberId: `${prefix}-${String(n).padStart(3, '0')}` }))

async function createPeople({ ask }: Story, subscribers: readonly object[]): Promise<void> {
  await ask('mutation ($input: CreateSubscribersInput!) { createSubscribers(input: $input) { created } }', {
    input: { subscribers },
  })
}

const counted = z.record(z.string(), z.object({ totalCount: z.int() }))
const countOf = async ({ ask }: Story, list: string) =>
  counted.parse(await ask(`{ list: ${list} { totalCount } }`))['list']?.totalCount

test.for([1440, 390])('at %i pixels, someone deletes all subscribers that match a search', async (width, { skip }) => {
  const story = await openStory(skip)
  const { page, visit, audit } = story
  await page.setViewportSize({ width, height: 900 })
  await createPeople(story, [...people('guest', 45), ...people('user', 3)])
  await visit('/subscribers?search=guest')
  await page.getByText('45 in total').waitFor()
  const done = await measureStory(page, 'all that match a search are deleted')
  await page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await bar.getByText('20 selected').waitFor()
  await bar.getByRole('button', { name: 'Select all 45 that match' }).click()
  await bar.getByText('All 45 that match are selected').waitFor()
  await audit()
  await page.setViewportSize({ width, height: 900 })
  await bar.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 45 subscribers?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await countOf(story, 'subscribers')).toBe(48)

  await bar.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  const progress = page.getByRole('region', { name: 'Work in progress' })
  await progress.getByText('45 subscribers deleted.').waitFor()
  await page.getByRole('heading', { name: 'No subscriber matches' }).waitFor()
  await done()
  expect(await countOf(story, 'subscribers')).toBe(3)
  await audit()
  await progress.getByRole('button', { name: 'Close' }).click()
  await progress.waitFor({ state: 'detached' })
})

test('a selection on two pages is deleted one by one, also when the page is left and reloaded', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  await createPeople(story, people('guest', 25))
  await visit('/subscribers')
  await page.getByText('25 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
  await page.getByRole('button', { name: 'Next' }).click()
  const second = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'guest-000' }) })
  await second.getByRole('checkbox').check()
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await bar.getByText('21 selected').waitFor()

  // One request at a time, so that the work is still in progress when the page is left.
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  let sent = 0
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('BulkDeleteSubscriber')) {
      sent += 1
      if (sent === 3) await held
    }
    await route.continue().catch(() => undefined)
  })
  await bar.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const progress = page.getByRole('region', { name: 'Work in progress' })
  await progress.getByText('Deleting 2 of 21 subscribers…').waitFor()
  await visit('/topics')
  await page.getByRole('heading', { name: 'Topics', level: 1 }).waitFor()
  await progress.getByText('Deleting 2 of 21 subscribers…').waitFor()
  await page.reload()
  release?.()
  await progress.getByText('subscribers deleted.').waitFor()
  expect(await countOf(story, 'subscribers')).toBe(4)
})

test('what is in progress ends when the user signs out', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, key, visit, allow } = story
  allow(/401 \(Unauthorized\)/)
  await createPeople(story, people('guest', 5))
  await visit('/subscribers')
  await page.getByText('5 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  let sent = 0
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('BulkDeleteSubscriber')) {
      sent += 1
      if (sent === 2) await held
    }
    await route.continue()
  })
  await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const progress = page.getByRole('region', { name: 'Work in progress' })
  await progress.getByText('Deleting 1 of 5 subscribers…').waitFor()
  const closed = page.waitForResponse(
    (answer) => answer.request().postData()?.includes('closeDashboardSession') ?? false,
  )
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await closed
  release?.()
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('guest-')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await visit('/subscribers')
  await page.getByText('4 in total').waitFor()
  expect(await progress.count()).toBe(0)
  expect(sent).toBe(2)
})

test('someone stops what is in progress, and continues it', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, ask, visit } = story
  await createPeople(story, people('guest', 5))
  await ask(
    'mutation ($input: CreateTopicSubscriptionsInput!) { createTopicSubscriptions(input: $input) { failed { message } } }',
    {
      input: { topicKey: 'news', subscriptions: people('guest', 5) },
    },
  )
  await visit('/topics/news')
  await page.getByText('5 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  let sent = 0
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('BulkUnsubscribe')) {
      sent += 1
      if (sent === 2) await held
    }
    await route.continue()
  })
  await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Unsubscribe' }).click()
  await page
    .getByRole('dialog', { name: 'Unsubscribe 5 subscriptions?' })
    .getByRole('button', { name: 'Unsubscribe' })
    .click()
  const progress = page.getByRole('region', { name: 'Work in progress' })
  await progress.getByText('Deleting 1 of 5 subscriptions…').waitFor()
  await progress.getByRole('button', { name: 'Stop' }).click()
  release?.()
  await progress.getByText('Stopped: 2 of 5 subscriptions deleted.').waitFor()
  expect(await countOf(story, 'topicSubscriptions')).toBe(3)
  await progress.getByRole('button', { name: 'Continue' }).click()
  await progress.getByText('5 subscriptions deleted.').waitFor()
  await until(async () => ((await countOf(story, 'topicSubscriptions')) === 0 ? true : undefined))
})

test('someone cancels the unfinished events of a workflow, and revokes two keys', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, ask, visit, audit } = story
  await ask('mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }', {
    input: {
      identifier: 'order',
      name: 'Order',
      steps: [{ delay: { amount: 1, unit: 'HOURS' } }, { inApp: { body: 'Late' } }],
    },
  })
  const trigger = (transactionId: string) =>
    ask('mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }', {
      input: { workflowIdentifier: 'order', transactionId, to: [{ subscriber: { subscriberId: 'ada' } }] },
    })
  for (const transactionId of ['order-1', 'order-2', 'order-3']) await trigger(transactionId)
  await visit('/events?workflow=order')
  await page.getByText('3 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select order-1' }).check()
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await bar.getByRole('button', { name: 'Select all 3 that match' }).click()
  await bar.getByRole('button', { name: 'Cancel' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel 3 events?' })
  await dialog.waitFor()
  await trigger('order-4')
  await dialog.getByRole('button', { name: 'Cancel' }).last().click()
  const progress = page.getByRole('region', { name: 'Work in progress' })
  await progress.getByText('3 events cancelled.').waitFor()
  expect(await countOf(story, 'events(filter: { status: CANCELLED })')).toBe(3)
  await progress.getByRole('button', { name: 'Close' }).click()

  await visit('/events')
  await page.getByText('4 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select order-4' }).check()
  await bar.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('dialog', { name: 'Retry 1 event?' }).getByRole('button', { name: 'Retry' }).click()
  await progress.getByText('0 events retried.').waitFor()
  await progress.getByText('no recipient who missed a message').waitFor()
  await progress.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('checkbox', { name: 'Select order-4' }).check()
  await bar.getByRole('button', { name: 'Select all 4 that match' }).click()
  await bar.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog', { name: 'Cancel 1 event?' }).getByRole('button', { name: 'Cancel' }).last().click()
  await progress.getByText('1 event cancelled.').waitFor()
  expect(await countOf(story, 'events(filter: { status: CANCELLED })')).toBe(4)

  for (const name of ['One', 'Two'])
    await ask(`mutation { createApiKey(input: { name: "${name}" }) { userErrors { message } } }`)
  await page.getByRole('link', { name: 'Environments and keys' }).click()
  await page.getByRole('table', { name: 'Environments' }).getByRole('link', { name: 'Development' }).first().click()
  await page.getByRole('checkbox', { name: 'Select One' }).check()
  await page.getByRole('checkbox', { name: 'Select Two' }).check()
  await audit()
  await bar.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog', { name: 'Revoke 2 API keys?' }).getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('2 API keys revoked.').waitFor()
})

/** Creates a workflow whose runs wait for an hour, and two events for the same five people. */
async function createWaitingRuns({ ask, visit, page }: Story): Promise<void> {
  await ask('mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }', {
    input: {
      identifier: 'order',
      name: 'Order',
      steps: [{ delay: { amount: 1, unit: 'HOURS' } }, { inApp: { body: 'Late' } }],
    },
  })
  for (const transactionId of ['order-1', 'order-2']) {
    await ask('mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }', {
      input: {
        workflowIdentifier: 'order',
        transactionId,
        to: people('guest', 5).map((subscriber) => ({ subscriber })),
      },
    })
  }
  await visit('/workflows/order?tab=runs')
  await page.getByText('10 in total').waitFor()
}

test.for([1440, 390])('at %i pixels, someone cancels runs of a workflow that wait', async (width, { skip }) => {
  const story = await openStory(skip)
  const { page, visit, audit } = story
  await page.setViewportSize({ width, height: 900 })
  await createWaitingRuns(story)
  const cancelled = 'workflowRuns(filter: { status: CANCELLED })'
  const bar = page.getByRole('region', { name: 'Selected rows' })
  const progress = page.getByRole('region', { name: 'Work in progress' })
  await page.getByRole('checkbox', { name: 'Select the run of order-2 for guest-003' }).check()
  await page.getByRole('checkbox', { name: 'Select the run of order-2 for guest-004' }).check()
  await bar.getByRole('button', { name: 'Cancel' }).click()
  const two = page.getByRole('dialog', { name: 'Cancel 2 runs?' })
  await two.getByText('the events continue for other recipients').waitFor()
  await audit()
  await page.setViewportSize({ width, height: 900 })
  await two.getByRole('button', { name: 'Cancel' }).last().click()
  await progress.getByText('2 runs cancelled.').waitFor()
  expect(await countOf(story, cancelled)).toBe(2)
  await progress.getByRole('button', { name: 'Close' }).click()

  await visit('/workflows/order?tab=runs&status=WAITING')
  await page.getByText('8 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select the run of order-2 for guest-001' }).check()
  await bar.getByRole('button', { name: 'Select all 8 that match' }).click()
  await bar.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog', { name: 'Cancel 8 runs?' }).getByRole('button', { name: 'Cancel' }).last().click()
  await progress.getByText('8 runs cancelled.').waitFor()
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
  expect(await countOf(story, cancelled)).toBe(10)
  expect(await countOf(story, 'events(filter: { status: CANCELLED })')).toBe(0)
})

test('someone cancels the run of one recipient of an event, and those that match a filter', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, audit } = story
  await createWaitingRuns(story)
  await visit('/events/order-1')
  const run = page.getByRole('region', { name: 'Run for guest-002' })
  await run.getByRole('button', { name: 'Cancel run' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel the run for guest-002?' })
  await audit()
  await dialog.getByRole('button', { name: 'Cancel the run' }).click()
  await page.getByText('The run for guest-002 is cancelled.').waitFor()
  await run.getByText('The run was cancelled.').first().waitFor()
  await run.getByRole('button', { name: 'Cancel run' }).waitFor({ state: 'detached' })

  await visit('/events/order-1?outcome=PENDING')
  await page.getByRole('button', { name: 'Cancel all that match' }).click()
  await page.getByRole('dialog', { name: 'Cancel 4 runs?' }).getByRole('button', { name: 'Cancel' }).last().click()
  await page.getByRole('region', { name: 'Work in progress' }).getByText('4 runs cancelled.').waitFor()
  await page.getByRole('heading', { name: 'No recipient matches' }).waitFor()
  expect(await countOf(story, 'workflowRuns(filter: { status: WAITING })')).toBe(5)
})

test('someone ends the series of one subscriber', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  await createWaitingRuns(story)
  await visit('/subscribers/guest-000/activity')
  await page.getByText('2 in total').waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
  await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog', { name: 'Cancel 2 runs?' }).getByRole('button', { name: 'Cancel' }).last().click()
  await page.getByText('2 runs cancelled.').waitFor()
  expect(await countOf(story, 'workflowRuns(filter: { status: CANCELLED })')).toBe(2)
})

test('a reader selects nothing, and downloads lists', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, becomeReader } = story
  await createPeople(story, people('guest', 2))
  await becomeReader()
  await visit('/subscribers')
  await page.getByText('2 in total').waitFor()
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await page.getByRole('button', { name: 'Download CSV' }).waitFor()
})
