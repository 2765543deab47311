// The steps of the channels: each keeps the limits to the time of its messages.
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const expiresAfter = { amount: 3, unit: 'HOURS' }
const timeLimit = { amount: 5, unit: 'MINUTES' }

/** The fields that a step of each channel requires. */
const required = {
  inApp: { body: 'Hello' },
  email: { subject: 'Hello', body: 'Hello' },
  sms: { body: 'Hello' },
  chat: { body: 'Hello' },
  push: { subject: 'Hello', body: 'Hello' },
  tool: { body: 'Hello' },
}

const limits = 'expiresAfter { amount unit } timeLimit { amount unit }'

test.each(Object.entries(required))('a step for %s keeps the limits to its time', async (channel, fields) => {
  const acme = await world.environment()
  // A notification is in the feed at once, so there is no attempt to limit.
  const given = { expiresAfter, ...(channel !== 'inApp' && { timeLimit }) }
  const { workflow, userErrors } = await acme.act(
    'createWorkflow',
    { identifier: 'order', name: 'Order', steps: [{ [channel]: { ...fields, ...given } }] },
    `workflow {
      steps {
        ... on InAppStep { expiresAfter { amount unit } }
        ... on EmailStep { ${limits} }
        ... on SmsStep { ${limits} }
        ... on ChatStep { ${limits} }
        ... on PushStep { ${limits} }
        ... on ToolStep { ${limits} }
      }
    }`,
  )
  expect(userErrors).toEqual([])
  expect(workflow.steps).toEqual([given])
})
