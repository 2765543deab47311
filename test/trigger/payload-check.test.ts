// The check of payloads against the schema of their workflow, above all one that takes too long.
import { beforeEach, describe, expect, test } from 'vitest'
import { createWorkflow } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import type { RestObject } from '../support/rest-body.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

/** Stores a workflow as earlier versions did, which accepted every pattern. */
beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'x' } }])
  await world.gateway.db.workflow.updateMany({
    where: { environmentId: await environmentIdOf(acme), identifier: 'order' },
    data: { payloadSchema: { properties: { a: { type: 'string', pattern: '^(?!x)(a+)+$' } } } },
  })
})

/** A trigger whose payload makes the pattern backtrack for ever. */
const hostile = { name: 'order', to: 'ada', payload: { a: `${'a'.repeat(40)}!` } }
const message = 'payload cannot be checked: The validation took too long.'

describe('a payload that cannot be checked in time', () => {
  test('causes a 400 with the field, and others are accepted', async () => {
    const { status, body } = await acme.rest('POST /v1/events/trigger', { body: hostile })
    expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ field: 'payload', message }] } })
    const valid = { ...hostile, payload: { a: 'aaa' } }
    expect((await acme.rest('POST /v1/events/trigger', { body: valid })).status).toBe(201)
  })

  test('fails each event of a bulk, and is evaluated once for all of them', async () => {
    const events = Array.from({ length: 100 }, () => hostile)
    const { status, body } = await acme.rest<RestObject[]>('POST /v1/events/trigger/bulk', { body: { events } })
    expect(status).toBe(201)
    expect(body).toHaveLength(100)
    for (const result of body) expect(result).toMatchObject({ status: 'error', error: [message] })
  })
})

test('the check does not activate a workflow, and a workflow that does not exist stays unknown', async () => {
  await world.gateway.db.workflow.updateMany({
    where: { environmentId: await environmentIdOf(acme), identifier: 'order' },
    data: { active: false },
  })
  const inactive = await acme.rest('POST /v1/events/trigger', { body: { ...hostile, payload: { a: 'aaa' } } })
  expect(inactive).toMatchObject({ status: 201, body: { status: 'trigger_not_active' } })
  const preview = await acme.act('triggerEvent', { name: 'absent', to: [{ subscriber: { subscriberId: 'ada' } }] })
  expect(preview.userErrors).toEqual([expect.objectContaining({ code: 'NOT_FOUND' })])
})

test('a workflow keeps a schema that does not apply to triggers, and its secret fields stay secret', async () => {
  const required = { ...hostile, payload: { code: '1234' } }
  const payloadSchema = { required: ['total'], properties: { code: { type: 'string', writeOnly: true } } }
  const change = (validatePayload: boolean) =>
    acme.act('updateWorkflow', { identifier: 'order', payloadSchema, validatePayload })
  await change(true)
  expect((await acme.rest('POST /v1/events/trigger', { body: required })).status).toBe(400)
  await change(false)
  expect((await acme.rest('POST /v1/events/trigger', { body: required })).status).toBe(201)
  const { workflow, events } = await acme.ask(
    '{ workflow(identifier: "order") { payloadSchema validatePayload } events { nodes { payload } } }',
  )
  expect(workflow).toEqual({ payloadSchema, validatePayload: false })
  expect(JSON.stringify(events)).not.toContain('1234')
})
