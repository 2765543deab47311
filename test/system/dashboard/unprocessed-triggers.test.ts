// Triggers without an event in the dashboard: someone asks why Ada received nothing, and there is no event for her.
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { until } from '../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

const trigger = `mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { duplicate } }`
const countQuery = '{ unprocessedTriggers { totalCount } }'
const counted = z.object({ unprocessedTriggers: z.object({ totalCount: z.int() }) })

test('someone finds a rejected and a repeated trigger, and from a repeated one the event', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip, {})
  await ask(`mutation { createWorkflow(input: { identifier: "order", name: "Order" }) { userErrors { message } } }`)
  const to = [{ subscriber: { subscriberId: 'ada' } }]
  await ask(trigger, { input: { workflowIdentifier: 'order', transactionId: 'order-1', to } })
  await ask(trigger, { input: { workflowIdentifier: 'order', transactionId: 'order-1', to } })
  await ask(trigger, { input: { workflowIdentifier: 'oder', transactionId: 'order-2', to } })
  // A process writes the traces every five seconds.
  await until(async () => {
    const { unprocessedTriggers } = counted.parse(await ask(countQuery))
    return unprocessedTriggers.totalCount === 2 ? true : undefined
  })

  await visit('/events')
  await page.getByRole('link', { name: 'Triggers without an event' }).click()
  await page.getByText('2 in total').waitFor()
  await page.getByText('The trigger was rejected: Workflow "oder" not found.').waitFor()
  await audit()
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'Repeated' }).click()
  await page.getByText('1 in total').waitFor()
  await page.getByRole('link', { name: 'order-1' }).click()
  await page.getByRole('heading', { name: /^Order, to / }).waitFor()
  await page.getByRole('link', { name: 'Triggers that repeated the transaction id' }).click()
  await page.getByText('1 in total').waitFor()
  expect(new URL(page.url()).hash + new URL(page.url()).search).toContain('transaction=order-1')
})
