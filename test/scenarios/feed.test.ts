// Scenarios of an inbox: tabs with a number of unread entries each, and buttons.
import { beforeEach, expect, test } from 'vitest'
import { createWorkflow, feedOf, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

/** The number of Ada's unread notifications with a tag. */
async function unreadIn(tag: string): Promise<number> {
  const { subscriber } = await acme.ask(
    `query ($tag: String!) {
      subscriber(subscriberId: "ada") { notifications(filter: { tags: [$tag], read: false }) { totalCount } }
    }`,
    { tag },
  )
  return subscriber.notifications.totalCount
}

test('each tab of an inbox shows its number of unread notifications, by a tag', async () => {
  for (const identifier of ['orders', 'news']) {
    await createWorkflow(acme, [{ inApp: { body: identifier } }], { identifier, tags: [identifier] })
  }
  for (const name of ['orders', 'orders', 'news']) await trigger(acme, { name })
  await world.work()
  expect([await unreadIn('orders'), await unreadIn('news')]).toEqual([2, 1])
  const [oldest] = await feedOf(acme)
  await acme.rest(`PATCH /v2/subscribers/ada/notifications/${String(oldest?._id)}/read`)
  expect([await unreadIn('orders'), await unreadIn('news')]).toEqual([1, 1])
})

test('an entry of the inbox has two buttons with links', async () => {
  const actions = ['Approve', 'Reject'].map((label) => ({
    label,
    url: `https://app.example/{{payload.id}}/${label.toLowerCase()}`,
  }))
  await createWorkflow(acme, [{ inApp: { body: 'Expense {{payload.id}}', actions } }])
  await trigger(acme, { payload: { id: 7 } })
  await world.work()
  expect(await feedOf(acme)).toMatchObject([
    {
      body: 'Expense 7',
      actions: [
        { label: 'Approve', url: 'https://app.example/7/approve' },
        { label: 'Reject', url: 'https://app.example/7/reject' },
      ],
    },
  ])
})
