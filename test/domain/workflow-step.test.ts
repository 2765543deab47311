// The steps and settings of a workflow, in GraphQL and REST.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const stepFields = `
  __typename stepId type name active condition
  ... on InAppStep { subject body avatar url actions { label url } data }
  ... on EmailStep { subject body }
  ... on SmsStep { body }
  ... on ChatStep { body }
  ... on PushStep { subject body }
  ... on ToolStep { subject body }
  ... on DelayStep { amount unit }
  ... on DigestStep { amount unit key }
`

const create = (input: Record<string, unknown>) =>
  acme.act('createWorkflow', { identifier: 'order', name: 'Order', ...input }, `workflow { steps { ${stepFields} } }`)

const post = (body: Record<string, unknown>) =>
  acme.rest('POST /v2/workflows', { body: { identifier: 'order', name: 'Order', ...body } })

const onlyPro = { '==': [{ var: 'payload.plan' }, 'pro'] }

/** Steps of every type, as GraphQL input. */
const everyKind = [
  {
    inApp: {
      stepId: 'bell',
      subject: 'Order {{payload.id}}',
      body: 'Hi {{subscriber.firstName}}',
      avatar: '{{context.tenant.data.logo}}',
      url: '/orders/{{payload.id}}',
      actions: [{ label: 'Open', url: '/orders/{{payload.id}}' }],
      data: { sound: 'ding' },
    },
  },
  { digest: { amount: 1, unit: 'HOURS', key: 'order.id' } },
  { email: { name: 'The mail', subject: 'Order', body: '<p>{{payload.id}}</p>', condition: onlyPro } },
  { sms: { body: 'Order', active: false } },
  { chat: { body: 'Order' } },
  { push: { subject: 'Order', body: 'It comes' } },
  { delay: { amount: 2, unit: 'DAYS' } },
  { tool: { body: 'Late', condition: { '!=': [{ var: 'steps.bell.status' }, 'sent'] } } },
]

describe('workflow steps', () => {
  test('of every type keep their order and values, in GraphQL and REST', async () => {
    const { workflow, userErrors } = await create({ steps: everyKind })
    expect(userErrors).toEqual([])
    const common = { name: null, active: true, condition: null }
    expect(workflow.steps).toEqual([
      { __typename: 'InAppStep', type: 'IN_APP', ...common, ...everyKind[0]?.inApp },
      { __typename: 'DigestStep', type: 'DIGEST', ...common, stepId: 'digest-2', ...everyKind[1]?.digest },
      { __typename: 'EmailStep', type: 'EMAIL', ...common, stepId: 'email-3', ...everyKind[2]?.email },
      { __typename: 'SmsStep', type: 'SMS', ...common, stepId: 'sms-4', ...everyKind[3]?.sms },
      { __typename: 'ChatStep', type: 'CHAT', ...common, stepId: 'chat-5', ...everyKind[4]?.chat },
      { __typename: 'PushStep', type: 'PUSH', ...common, stepId: 'push-6', ...everyKind[5]?.push },
      { __typename: 'DelayStep', type: 'DELAY', ...common, stepId: 'delay-7', ...everyKind[6]?.delay },
      { __typename: 'ToolStep', type: 'TOOL', ...common, stepId: 'tool-8', subject: null, ...everyKind[7]?.tool },
    ])
    const { body } = await acme.rest('GET /v2/workflows/order')
    expect(body.steps[1]).toEqual({
      type: 'digest',
      extendToSchedule: false,
      stepId: 'digest-2',
      ...common,
      amount: 1,
      unit: 'hours',
      key: 'order.id',
    })
    expect(body.steps).toHaveLength(8)
  })

  test('can be read with REST and sent back unchanged', async () => {
    await create({ steps: everyKind })
    const { body } = await acme.rest('GET /v2/workflows/order')
    const again = await acme.rest('PUT /v2/workflows/order', { body: { steps: body.steps } })
    expect(again.body.steps).toEqual(body.steps)
  })

  test('are replaced as a whole, and unchanged if omitted', async () => {
    await post({
      steps: [
        { type: 'sms', body: 'one' },
        { type: 'chat', body: 'two' },
      ],
    })
    const renamed = await acme.rest('PUT /v2/workflows/order', { body: { name: 'Orders' } })
    expect(renamed.body.steps).toHaveLength(2)
    const { workflow } = await acme.act(
      'updateWorkflow',
      { identifier: 'order', steps: [{ chat: { body: 'three' } }] },
      `workflow { name steps { ${stepFields} } }`,
    )
    expect(workflow).toMatchObject({ name: 'Orders', steps: [{ stepId: 'chat-1', body: 'three' }] })
  })

  test('get a generated id that no other step has', async () => {
    const { body } = await post({
      steps: [
        { type: 'sms', body: 'x' },
        { type: 'chat', stepId: 'sms-1', body: 'y' },
      ],
    })
    expect(body.steps.map(({ stepId }: { stepId: string }) => stepId)).toEqual(['sms-1-1', 'sms-1'])
  })
})

describe('invalid workflow steps', () => {
  const sms = { type: 'sms', body: 'x' }

  /** The name, the steps in REST and in GraphQL, the field of the user error below `steps`, and the message. */
  test.each<[string, Record<string, unknown>[], Record<string, unknown>[], (string | number)[], string]>([
    [
      'a template that is not closed',
      [sms, { type: 'email', subject: 'Hi', body: '<p>\n  {% if x %}' }],
      [{ sms: { body: 'x' } }, { email: { subject: 'Hi', body: '<p>\n  {% if x %}' } }],
      [1, 'email', 'body'],
      'steps[1].body is not a valid template: tag {% if x %} not closed (line 2, column 3)',
    ],
    [
      'a template among the buttons',
      [{ type: 'in_app', body: 'x', actions: [{ label: 'x', url: '{{' }] }],
      [{ inApp: { body: 'x', actions: [{ label: 'x', url: '{{' }] } }],
      [0, 'inApp', 'actions', 0, 'url'],
      'steps[0].actions[0].url is not a valid template: output "{{" not closed (line 1, column 1)',
    ],
    [
      'three buttons',
      [{ type: 'in_app', body: 'x', actions: Array.from({ length: 3 }, () => ({ label: 'x', url: '/' })) }],
      [{ inApp: { body: 'x', actions: Array.from({ length: 3 }, () => ({ label: 'x', url: '/' })) } }],
      [0, 'inApp', 'actions'],
      'steps[0].actions must be at most 2 items long',
    ],
    [
      'an id that two have',
      [
        { ...sms, stepId: 'a' },
        { ...sms, stepId: 'a' },
      ],
      [{ sms: { body: 'x', stepId: 'a' } }, { sms: { body: 'x', stepId: 'a' } }],
      [1, 'sms', 'stepId'],
      'steps[1].stepId must be unique: the workflow has an earlier step "a"',
    ],
    [
      'an id that is none',
      [{ ...sms, stepId: 'a b' }],
      [{ sms: { body: 'x', stepId: 'a b' } }],
      [0, 'sms', 'stepId'],
      'steps[0].stepId must be 1 to 100 letters, digits, "_" or "-"',
    ],
    [
      'a condition on a later step',
      [
        { ...sms, condition: { '!!': { var: 'steps.later.status' } } },
        { ...sms, stepId: 'later' },
      ],
      [
        { sms: { body: 'x', condition: { '!!': { var: 'steps.later.status' } } } },
        { sms: { body: 'x', stepId: 'later' } },
      ],
      [0, 'sms', 'condition'],
      'steps[0].condition must refer to earlier steps only (there are none), not "steps.later"',
    ],
    [
      'a condition on the step itself',
      [sms, { ...sms, stepId: 'me', condition: { missing: ['steps.me.status'] } }],
      [{ sms: { body: 'x' } }, { sms: { body: 'x', stepId: 'me', condition: { missing: ['steps.me.status'] } } }],
      [1, 'sms', 'condition'],
      'steps[1].condition must refer to earlier steps only (sms-1), not "steps.me"',
    ],
    [
      'a condition with a prototype name',
      [{ ...sms, condition: { '!!': { var: 'payload.constructor' } } }],
      [{ sms: { body: 'x', condition: { '!!': { var: 'payload.constructor' } } } }],
      [0, 'sms', 'condition', '!!', 'var'],
      'steps[0].condition["!!"].var must not name a variable with "constructor" in its path',
    ],
    [
      'waits of 91 days together',
      [
        { type: 'delay', amount: 90, unit: 'days' },
        { type: 'digest', amount: 24, unit: 'hours' },
      ],
      [{ delay: { amount: 90, unit: 'DAYS' } }, { digest: { amount: 24, unit: 'HOURS' } }],
      [],
      'steps must wait at most 90 days in total',
    ],
    [
      'a delay of nothing',
      [{ type: 'delay', amount: 0, unit: 'days' }],
      [{ delay: { amount: 0, unit: 'DAYS' } }],
      [0, 'delay', 'amount'],
      'steps[0].amount must be at least 1',
    ],
    [
      'twenty-one of them',
      Array.from({ length: 21 }, () => sms),
      Array.from({ length: 21 }, () => ({ sms: { body: 'x' } })),
      [],
      'steps must be at most 20 items long',
    ],
  ])('are rejected with the field: %s', async (_name, asRest, asGraph, path, message) => {
    const { userErrors } = await create({ steps: asGraph })
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: ['steps', ...path].map(String) }])
    expect(await post({ steps: asRest })).toMatchObject({ status: 422, body: { message } })
    expect(await acme.ask('{ workflows { totalCount } }')).toEqual({ workflows: { totalCount: 0 } })
  })

  test('are rejected by REST when the type is unknown', async () => {
    const { status, body } = await post({ steps: [{ type: 'fax', body: 'x' }] })
    expect(status).toBe(422)
    expect(body.message).toContain('steps[0].type must be one of "in_app", "email", "sms"')
  })

  test('are rejected by REST when a condition is nested 20,000 levels deep', async () => {
    const deep = `${'{"!":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const body = `{"identifier":"order","name":"Order","steps":[{"type":"sms","body":"x","condition":${deep}}]}`
    const headers = { 'content-type': 'application/json' }
    expect((await acme.rest('POST /v2/workflows', { body, headers })).status).toBe(400)
  })
})

describe('a workflow', () => {
  const settings = 'active payloadSchema channels { channel enabled } steps { stepId }'

  test('is active, accepts any payload and uses every channel by default', async () => {
    const { workflow } = await acme.act(
      'createWorkflow',
      { identifier: 'order', name: 'Order' },
      `workflow { ${settings} }`,
    )
    expect(workflow).toEqual({ active: true, payloadSchema: null, channels: [], steps: [] })
  })

  test('keeps its settings, and null removes its payload schema, in GraphQL and REST', async () => {
    const payloadSchema = { type: 'object', required: ['id'] }
    const channels = [{ channel: 'EMAIL', enabled: false }]
    const { workflow } = await acme.act(
      'createWorkflow',
      { identifier: 'order', name: 'Order', active: false, payloadSchema, channels },
      `workflow { ${settings} }`,
    )
    expect(workflow).toEqual({ active: false, payloadSchema, channels, steps: [] })
    const kept = await acme.rest('PUT /v2/workflows/order', { body: { active: true } })
    expect(kept.body).toMatchObject({ active: true, payloadSchema, channels: { email: false } })
    const cleared = await acme.rest('PUT /v2/workflows/order', { body: { payloadSchema: null, channels: {} } })
    expect(cleared.body).toMatchObject({ payloadSchema: null, channels: {} })
    const graph = await acme.act('updateWorkflow', { identifier: 'order', payloadSchema }, `workflow { ${settings} }`)
    expect(graph.workflow.payloadSchema).toEqual(payloadSchema)
    const again = await acme.act(
      'updateWorkflow',
      { identifier: 'order', payloadSchema: null },
      `workflow { ${settings} }`,
    )
    expect(again.workflow.payloadSchema).toBeNull()
  })

  test('is rejected with the field when its payload schema is invalid', async () => {
    const payloadSchema = { properties: { id: { $ref: 'https://acme.example/id' } } }
    const { userErrors } = await create({ payloadSchema })
    expect(userErrors).toMatchObject([{ field: ['payloadSchema', 'properties', 'id', '$ref'] }])
    expect(await post({ payloadSchema })).toMatchObject({ status: 422 })
  })
})
