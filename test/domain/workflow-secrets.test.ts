// Secret fields in payload schemas: where they are possible, and where a workflow has only their masks.
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const secret = { type: 'string', writeOnly: true }

async function check(input: Record<string, unknown>) {
  const query = 'query ($input: CheckWorkflowInput!) { checkWorkflow(input: $input) { field message level } }'
  return (await world.development.ask(query, { input })).checkWorkflow
}

test.each<[string, object, string | undefined]>([
  ['a property', { properties: { code: secret } }, undefined],
  ['an item of a list', { properties: { codes: { type: 'array', items: secret } } }, undefined],
  [
    'a property with the name of a keyword',
    { properties: { anyOf: secret, writeOnly: { type: 'boolean' } } },
    undefined,
  ],
  ['a value', { properties: { code: { const: { writeOnly: true } } }, default: { writeOnly: true } }, undefined],
  ['the whole payload', secret, 'payloadSchema.writeOnly'],
  ['a branch', { anyOf: [{ properties: { code: secret } }] }, 'payloadSchema.anyOf.0.properties.code.writeOnly'],
  [
    'a definition',
    { properties: { code: { $ref: '#/$defs/code' } }, $defs: { code: secret } },
    'payloadSchema.$defs.code.writeOnly',
  ],
  ['other properties', { additionalProperties: secret }, 'payloadSchema.additionalProperties.writeOnly'],
  ['a place in a list', { prefixItems: [secret] }, 'payloadSchema.prefixItems.0.writeOnly'],
])('%s is secret or rejected', async (_case, payloadSchema, field) => {
  const found = await check({ steps: [], payloadSchema: { ...payloadSchema } })
  expect(found.map((problem) => [problem.field.join('.'), problem.level])).toEqual(
    field === undefined ? [] : [[field, 'ERROR']],
  )
})

test('a step that has only the mask of a field is a warning', async () => {
  const payloadSchema = {
    type: 'object',
    properties: { code: secret, user: { type: 'object', properties: { pin: secret, name: { type: 'string' } } } },
  }
  const steps = [
    { inApp: { body: '{{payload.code}} {{payload.user.name}}', payloadFields: ['user'] } },
    { digest: { stepId: 'all', amount: 1, unit: 'HOURS', key: 'code' } },
    { sms: { body: '{{payload.code}} {{digest.events[0].payload.code}}' } },
    { sms: { body: '{{steps.all.events[0].payload.user.pin}} {{steps.all.events[0].payload.user.name}}' } },
    { inApp: { body: 'Hello', condition: { '==': [{ var: 'payload.code' }, '1'] } } },
  ]
  expect(await check({ steps, payloadSchema })).toEqual([
    {
      field: ['steps', '0', 'inApp', 'body'],
      message: expect.stringContaining('uses payload.code, which is secret: notifications have a mask in its place'),
      level: 'WARNING',
    },
    {
      field: ['steps', '2', 'sms', 'body'],
      message: expect.stringContaining('uses digest.events.0.payload.code, which is secret'),
      level: 'WARNING',
    },
    {
      field: ['steps', '3', 'sms', 'body'],
      message: expect.stringContaining('uses steps.all.events.0.payload.user.pin, which is secret'),
      level: 'WARNING',
    },
    {
      field: ['steps', '0', 'inApp', 'payloadFields', '0'],
      message: expect.stringContaining('uses payload.user, which is secret'),
      level: 'WARNING',
    },
    {
      field: ['steps', '1', 'digest', 'key'],
      message: expect.stringContaining('it has the same mask in all triggers'),
      level: 'WARNING',
    },
  ])
})
