// The fields of email steps besides subject and body, in GraphQL and REST.
import { beforeEach, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const emailFields = 'preheader textBody from senderName replyTo cc bcc headers { name value } threadKey attachments'
const content = { subject: 'Order', body: '<p>x</p>' }

const fields = {
  preheader: 'Order {{payload.id}}',
  textBody: 'Order {{payload.id}}',
  from: '{{context.tenant.data.from}}',
  senderName: 'Orders of {{context.tenant.id}}',
  replyTo: ['{{payload.agent}}', '"Help" <help@example.com>'],
  cc: ['Jörg <joerg@bücher.example>, bob@example.com'],
  bcc: ['{{payload.audit}}'],
  headers: [{ name: 'X-Order', value: '{{payload.id}}' }],
  threadKey: 'order-{{payload.id}}',
  attachments: false,
}

const create = (more: object) =>
  acme.act(
    'createWorkflow',
    { identifier: 'order', name: 'Order', steps: [{ email: { ...content, ...more } }] },
    `workflow { steps { ... on EmailStep { ${emailFields} } } }`,
  )

test('the fields keep their values, in GraphQL and REST', async () => {
  const { workflow, userErrors } = await create(fields)
  expect(userErrors).toEqual([])
  expect(workflow.steps).toEqual([fields])
  const { body } = await acme.rest('GET /v2/workflows/order')
  expect(body.steps).toMatchObject([{ type: 'email', ...fields }])
  const again = await acme.rest('PUT /v2/workflows/order', { body: { steps: body.steps } })
  expect(again.body.steps).toEqual(body.steps)
})

test('a step without them has none', async () => {
  const { workflow } = await create({})
  expect(workflow.steps).toEqual([
    {
      ...{ preheader: null, textBody: null, from: null, senderName: null, threadKey: null },
      ...{ replyTo: [], cc: [], bcc: [], headers: [], attachments: true },
    },
  ])
})

const addresses = 'an empty text or email addresses, separated by commas, without control characters'
const header = (name: string, value = 'x') => ({ headers: [{ name, value }] })
const many = (count: number) => [Array.from({ length: count }, (_, index) => `p${index}@example.com`).join(', ')]

test.each<[object, string, string]>([
  [{ cc: ['"a" <b>'] }, 'cc.0', `cc[0] must be ${addresses}`],
  [{ bcc: ['a@example.com', 'Bob'] }, 'bcc.1', `bcc[1] must be ${addresses}`],
  [{ replyTo: ['a@example.com\r\nBcc: eve@example.com'] }, 'replyTo.0', `replyTo[0] must be ${addresses}`],
  [
    { from: 'a@example.com, b@example.com' },
    'from',
    'from must be an empty text or one email address, without control characters',
  ],
  [
    { senderName: 'a\r\nBcc: eve@example.com' },
    'senderName',
    'senderName must be at most 255 characters, without control characters',
  ],
  [
    header('X-A', 'x'.repeat(999)),
    'headers.0.value',
    'headers[0].value must be at most 998 characters, without control characters',
  ],
  [header('X A'), 'headers.0.name', 'headers[0].name must be 1 to 76 letters, digits or "-"'],
  [
    { headers: [...header('X-A').headers, ...header('x-a').headers] },
    'headers.1.name',
    'headers[1].name must be the name of one header only, in any case',
  ],
  [
    { ...header('References'), threadKey: 'x' },
    'headers.0.name',
    'headers[0].name must not be a header that threadKey sets',
  ],
  [
    { cc: many(25), bcc: many(25) },
    'bcc',
    'bcc must have at most 50 addresses, with the recipient and those of the other fields',
  ],
  [{ cc: Array(51).fill('a@example.com') }, 'cc', 'cc must be at most 50 items long'],
  [{ headers: Array(21).fill({ name: 'X', value: 'x' }) }, 'headers', 'headers must be at most 20 items long'],
  [{ preheader: 'x'.repeat(501) }, 'preheader', 'preheader must be at most 500 characters long'],
  [{ threadKey: 'x'.repeat(256) }, 'threadKey', 'threadKey must be at most 255 characters long'],
  [{ threadKey: '{{' }, 'threadKey', 'threadKey is not a valid template: output "{{" not closed (line 1, column 1)'],
  [{ cc: ['{{'] }, 'cc.0', 'cc[0] is not a valid template: output "{{" not closed (line 1, column 1)'],
])('what is known to be invalid is rejected with the field: %3$s', async (given, field, message) => {
  const { userErrors } = await create(given)
  const path = ['steps', '0', 'email', ...field.split('.')]
  expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message: `steps[0].${message}`, field: path }])
  const steps = [{ type: 'email', ...content, ...given }]
  const rest = await acme.rest('POST /v2/workflows', { body: { identifier: 'order', name: 'Order', steps } })
  expect(rest).toMatchObject({ status: 422, body: { message: `steps[0].${message}` } })
  const { checkWorkflow } = await acme.ask(
    'query ($steps: [WorkflowStepInput!]!) { checkWorkflow(input: { steps: $steps }) { message level } }',
    { steps: [{ email: { ...content, ...given } }] },
  )
  expect(checkWorkflow).toEqual([{ message: `steps[0].${message}`, level: 'ERROR' }])
})

test.each([
  ...['From', 'to', 'CC', 'Bcc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
  ...['DKIM-Signature', 'ARC-Seal', 'Received', 'Return-Path', 'Resent-To', 'List-Unsubscribe-Post', 'Idempotency-Key'],
])('the header %s is rejected', async (name) => {
  const { userErrors } = await create(header(name))
  expect(userErrors).toMatchObject([
    {
      message:
        'steps[0].headers[0].name must not be a header that has a field of its own, or that mail servers or the gateway set',
    },
  ])
})
