// Attachments at addresses that the gateway never calls, which are known when the trigger arrives.
import { beforeEach, expect, test } from 'vitest'
import { createWorkflow, done } from '../../support/delivery/story.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld({ allowPrivateAddresses: false })
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await createWorkflow(acme, [{ email: { subject: 'Invoice', body: 'Hello' } }])
})

test.each([
  'http://10.0.0.5/invoice.pdf',
  'http://127.0.0.1:8080/invoice.pdf',
  'http://2130706433/invoice.pdf',
  'http://[::1]/invoice.pdf',
  'http://[::ffff:169.254.169.254]/latest/meta-data',
])('the attachment %s is rejected with the trigger, by both doors', async (url) => {
  const attachments = [{ content: { name: 'a.txt', data: 'aGk=' } }, { url: { url } }]
  const { status, body } = await acme.rest('POST /v1/events/trigger', {
    body: { name: 'order', to: 'ada', attachments },
  })
  expect([status, JSON.stringify(body)]).toEqual([
    422,
    expect.stringContaining('attachments[1].url.url cannot be fetched'),
  ])
  const to = [{ subscriber: { subscriberId: 'ada' } }]
  expect(await acme.act('triggerEvent', { workflowIdentifier: 'order', to, attachments })).toMatchObject({
    userErrors: [{ code: 'BAD_USER_INPUT', field: ['attachments', '1', 'url', 'url'] }],
  })
  expect(await acme.ask('{ events { totalCount } }')).toEqual({ events: { totalCount: 0 } })
})
