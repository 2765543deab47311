// The reasons of user errors: what is wrong with the input, in more detail than the code.
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const to = [{ subscriber: { subscriberId: 'ada' } }]
const workflow = { identifier: 'order', name: 'Order' }

test.each<[reason: string, code: string, mutation: string, input: object]>([
  ['REQUIRED', 'BAD_USER_INPUT', 'triggerEvent', { to }],
  ['TOO_LONG', 'BAD_USER_INPUT', 'createWorkflow', { identifier: 'long', name: 'x'.repeat(256) }],
  ['TOO_SHORT', 'BAD_USER_INPUT', 'createWorkflow', { identifier: 'short', name: '' }],
  ['TOO_MANY', 'BAD_USER_INPUT', 'createWorkflow', { identifier: 'many', name: 'Many', tags: Array(51).fill('a') }],
  ['TOO_FEW', 'BAD_USER_INPUT', 'triggerEvents', { events: [] }],
  ['OUT_OF_RANGE', 'BAD_USER_INPUT', 'deleteUnusedContexts', { unusedDays: 1 }],
  ['INVALID', 'BAD_USER_INPUT', 'createWorkflow', { identifier: 'not allowed', name: 'Order' }],
  ['INVALID', 'BAD_USER_INPUT', 'createSubscriber', { subscriberId: 'eve', email: 'nowhere' }],
  ['NOT_FOUND', 'NOT_FOUND', 'triggerEvent', { workflowIdentifier: 'missing', to }],
  ['TAKEN', 'CONFLICT', 'createWorkflow', workflow],
  ['TAKEN', 'CONFLICT', 'createTopic', { key: 'news' }],
  ['TAKEN', 'CONFLICT', 'createSubscriber', { subscriberId: 'ada' }],
  ['TAKEN', 'CONFLICT', 'createContext', { type: 'tenant', identifier: 'acme' }],
  ['TAKEN', 'CONFLICT', 'createIntegration', { identifier: 'texts', providerId: 'TWILIO' }],
  ['STALE', 'CONFLICT', 'updateWorkflow', { identifier: 'order', name: 'Orders', expectedVersion: 7 }],
])('%s with the code %s, of %s', async (reason, code, mutation, input) => {
  const acme = await world.environment()
  await acme.act('createWorkflow', workflow)
  await acme.act('createTopic', { key: 'news' })
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  await acme.act('createContext', { type: 'tenant', identifier: 'acme' })
  await acme.act('createIntegration', { identifier: 'texts', providerId: 'TWILIO' })
  const name = mutation.charAt(0).toUpperCase() + mutation.slice(1)
  const text: string = `mutation ($input: ${name}Input!) { payload: ${mutation}(input: $input) { userErrors { code reason } } }`
  expect(await acme.ask(text, { input })).toEqual({ payload: { userErrors: [{ code, reason }] } })
})

test('NOT_POSSIBLE: the state of an object does not allow the change', async () => {
  const acme = await world.environment()
  await acme.act('createWorkflow', { ...workflow, steps: [{ inApp: { body: 'Hi' } }] })
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  const { event } = await acme.act('triggerEvent', { workflowIdentifier: 'order', to }, 'event { id }')
  const text = 'mutation ($input: RetryEventInput!) { retryEvent(input: $input) { userErrors { code reason } } }'
  expect(await acme.ask(text, { input: { id: event.id } })).toEqual({
    retryEvent: { userErrors: [{ code: 'CONFLICT', reason: 'NOT_POSSIBLE' }] },
  })
})
