// The payload that a preview and a trigger start with, from the templates and the payload schema of a workflow.
import { expect, test } from 'vitest'
import { examplePayload } from '../../src/dashboard/pages/workflows/payload-schema.ts'
import { payloadOf } from '../../src/dashboard/pages/workflows/template-payload.ts'

/** A step without templates. */
const step: Parameters<typeof payloadOf>[0][number] = {
  uid: 'a',
  type: 'EMAIL',
  stepId: 'email',
  name: '',
  active: true,
  condition: '',
  subject: '',
  body: '',
  avatar: '',
  url: '',
  data: '{}',
  payloadFields: [],
  target: null,
  actions: [],
  amount: 1,
  unit: 'HOURS',
  extendToSchedule: false,
  key: '',
  incidentKey: '',
  incidentAction: 'TRIGGER',
  integrationIdentifier: '',
  expiresAfter: { amount: '', unit: 'MINUTES' },
  timeLimit: { amount: '', unit: 'MINUTES' },
  preheader: '',
  textBody: '',
  from: '',
  senderName: '',
  replyTo: [],
  cc: [],
  bcc: [],
  headers: [],
  threadKey: '',
  attachments: true,
}

test('the example has the names that any template of a step reads', () => {
  const payload = payloadOf([
    {
      ...step,
      subject: 'Order {{ payload.order.number }}',
      body: '{% for line in payload.lines %}{{ line }}{% endfor %} of {{ payload.lines.size }}',
      actions: [{ label: 'Open', url: '{{ payload.link }}', target: null }],
      preheader: '{{ payload.preheader }}',
      textBody: '{{ payload.text }}',
      from: '{{ payload.from }}@example.com',
      senderName: '{{ payload.sender }}',
      replyTo: ['{{ payload.reply }}'],
      cc: ['{{ payload.copy }}'],
      bcc: ['{{ payload.hidden }}'],
      headers: [{ name: 'X-Order', value: '{{ payload.header }}' }],
      threadKey: '{{ payload.thread }}',
    },
  ])
  const text = 'text'
  expect({ ...payload }).toEqual({
    order: { number: text },
    lines: [],
    link: text,
    preheader: text,
    text,
    from: text,
    sender: text,
    reply: text,
    copy: text,
    hidden: text,
    header: text,
    thread: text,
  })
})

test.for(['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted'])(
  'a template that names payload.%s changes no other object',
  (path) => {
    const payload = payloadOf([{ ...step, body: `{{ payload.${path} }}`, payloadFields: [path] }])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(JSON.stringify(payload)).toContain('"polluted":"text"')
  },
)

test('the example of a schema has its defaults, examples and types', () => {
  const schema = { properties: { plan: { default: 'pro' }, seats: { type: 'integer' }, odd: { type: 'constructor' } } }
  expect(examplePayload(JSON.stringify(schema))).toEqual({ plan: 'pro', seats: 1, odd: {} })
})

test.for([
  '{"default": 5}',
  '{"examples": ["text"]}',
  '{"const": []}',
  '{"enum": [null]}',
  '{"type": "string"}',
  '[',
  '',
])('the example is an object even if the schema is %s', (schema) => {
  expect(examplePayload(schema)).toEqual({})
})
