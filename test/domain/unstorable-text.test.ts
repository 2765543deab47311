// Ids that PostgreSQL cannot store, in lookups: an error that names the field instead of a fault.
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const notStorable = 'must not contain NUL or unpaired surrogate characters'

test('a NUL in the subscriberId of preferences is an invalid field', async () => {
  const refused = { status: 422, body: { errors: { subscriberId: { messages: [`subscriberId ${notStorable}`] } } } }
  expect(await world.development.rest('GET /v2/subscribers/%00/preferences')).toMatchObject(refused)
})

test('a NUL in the workflow of a preference is an invalid field', async () => {
  const acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  const { userErrors } = await acme.act('updateSubscriberPreferences', {
    subscriberId: 'ada',
    workflowIdentifier: '\0',
  })
  expect(userErrors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: ['workflowIdentifier'], message: `workflowIdentifier ${notStorable}` },
  ])
})

test('a NUL among the excluded subscribers of a trigger is an invalid field', async () => {
  const acme = await world.environment()
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome' })
  await acme.act('upsertTopic', { key: 'news' })
  const to = [{ topic: { topicKey: 'news', exclude: ['\0'] } }]
  const { userErrors } = await acme.act('triggerEvent', { workflowIdentifier: 'welcome', to })
  expect(userErrors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: ['to', '0', 'topic', 'exclude', '0'], message: expect.stringMatching(/NUL/) },
  ])
})
