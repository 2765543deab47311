// Workflow steps: an interface with one object type and one input type for each type of step.
import type { InterfaceRef, ObjectRef } from '@pothos/core'
import type { StepType as Type } from '../data/prisma/enums.ts'
import { MAX_DIGESTED } from '../data/workflow.ts'
import {
  MAX_ACTIONS,
  MAX_FEED_DATA,
  MAX_HTML,
  MAX_PAYLOAD_FIELDS,
  MAX_SUBJECT,
  MAX_TEXT,
  MAX_URL,
} from '../domain/channel/channel.ts'
import { MAX_DATA_TEMPLATES } from '../domain/channel/data-templates.ts'
import { type durationUnits, MAX_WAIT_DAYS, type Step, type StepOf } from '../domain/workflow-step.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../evaluation/condition.ts'
import { builder, type InputFields, type ObjectFields, type SchemaTypes } from './schema/builder.ts'
import { byDefault } from './schema/wording.ts'

export const stepDescriptions = {
  in_app: "Adds a notification to the subscriber's in-app feed.",
  email: 'Sends an email.',
  sms: 'Sends a text message.',
  chat: 'Sends a chat message.',
  push: "Sends a push notification to the subscriber's devices.",
  tool: 'Sends a message to a tool, such as an incident management service, or to a webhook.',
  delay: 'Waits before the next step.',
  digest:
    'Waits, and collects the triggers of the workflow for a subscriber. The next steps are executed once for all collected triggers.',
} as const satisfies Record<Type, string>

/** The variables of a step, which `variablesFor` in the engine creates. */
const stepVariables = `Its texts are Liquid templates, its condition is JSON-logic. Both read these variables:

- \`subscriber\`: the recipient, with \`subscriberId\`, \`firstName\`, \`lastName\`, \`email\`, \`phone\`, \`avatar\`, \`locale\`, \`timezone\` and \`data\`.
- \`payload\`: the payload of the trigger.
- \`context\`: the contexts of the trigger by type, as in \`context.tenant.id\` and \`context.tenant.data\`.
- \`actor\`: the subscriber that caused the event, with the fields of \`subscriber\`. Null if the trigger names none.
- \`workflow\`: \`workflow.identifier\` and \`workflow.name\`.
- \`transactionId\`: the transaction id of the event.
- \`steps\`: the earlier steps by \`stepId\`, each with \`status\`, \`reason\`, \`seen\` and \`read\`.
- \`digest\`: after a digest, \`digest.count\`, the number of collected triggers, and \`digest.events\`, the newest ${MAX_DIGESTED} of them in order of time, each with \`payload\`, \`createdAt\`, \`transactionId\` and \`actor\`, which has \`subscriberId\`, \`firstName\` and \`lastName\`, or is null. Null before a digest.

A variable that does not exist is empty in a template, and null in a condition.`

export const StepType = builder.enumType('StepType', {
  description: 'The type of a workflow step. Each value has its own implementation of `WorkflowStep`.',
  values: {
    IN_APP: { value: 'in_app', description: stepDescriptions.in_app },
    EMAIL: { value: 'email', description: stepDescriptions.email },
    SMS: { value: 'sms', description: stepDescriptions.sms },
    CHAT: { value: 'chat', description: stepDescriptions.chat },
    PUSH: { value: 'push', description: stepDescriptions.push },
    TOOL: { value: 'tool', description: stepDescriptions.tool },
    DELAY: { value: 'delay', description: stepDescriptions.delay },
    DIGEST: { value: 'digest', description: stepDescriptions.digest },
  } as const satisfies { [Name in Type as Uppercase<Name>]: { value: Name; description: string } },
})

const DurationUnit = builder.enumType('DurationUnit', {
  description: 'The unit of a duration.',
  values: {
    SECONDS: { value: 'seconds', description: 'Seconds.' },
    MINUTES: { value: 'minutes', description: 'Minutes.' },
    HOURS: { value: 'hours', description: 'Hours.' },
    DAYS: { value: 'days', description: 'Days of 24 hours.' },
    WEEKS: { value: 'weeks', description: 'Weeks of seven days.' },
  } as const satisfies {
    [Unit in (typeof durationUnits)[number] as Uppercase<Unit>]: { value: Unit; description: string }
  },
})

export const WorkflowStep: InterfaceRef<SchemaTypes, Step> = builder.interfaceRef<Step>('WorkflowStep').implement({
  description: `One step of a workflow. ${stepVariables}`,
  resolveType: ({ type }) => steps[type],
  fields: (t) => ({
    stepId: t.exposeString('stepId', {
      description: 'The key by which later steps and the execution log refer to the step. Unique in the workflow.',
    }),
    type: t.expose('type', { type: StepType, description: 'The type of the step.' }),
    name: t.exposeString('name', { nullable: true, description: 'The display name. Null if none is set.' }),
    active: t.exposeBoolean('active', { description: 'True if the step is executed. Otherwise it is skipped.' }),
    condition: t.expose('condition', {
      type: 'JSONObject',
      nullable: true,
      description:
        'The JSON-logic condition for executing the step, over the variables of `WorkflowStep`. Null means always.',
    }),
  }),
})

const StepAction = builder.objectRef<StepOf<'in_app'>['actions'][number]>('StepAction').implement({
  description: 'A button of an in-app notification.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'The label: a Liquid template.' }),
    url: t.exposeString('url', { description: 'The link: a Liquid template.' }),
  }),
})

/** Nullable even where a step always has a subject. Otherwise, one query could not select it on several step types. */
const subjectField = <Subject extends { readonly subject: string | null }>(
  t: ObjectFields<Subject>,
  description: string,
) => t.string({ nullable: true, description, resolve: ({ subject }) => subject })

const bodyText = 'The text: a Liquid template.'
const optionalSubject = 'Null if none is set.'
const requiredSubject = 'Not null: the type is nullable only so that one query can select `subject` on every step type.'
const htmlBody =
  'The HTML: a Liquid template over the variables of `WorkflowStep`. Values of variables are escaped unless the expression ends with `| raw`.'
const interfaces = [WorkflowStep]

const steps = {
  in_app: builder.objectRef<StepOf<'in_app'>>('InAppStep').implement({
    description: stepDescriptions.in_app,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, `The heading: a Liquid template. ${optionalSubject}`),
      body: t.exposeString('body', { description: bodyText }),
      avatar: t.exposeString('avatar', {
        nullable: true,
        description: 'The URL of an image: a Liquid template. Null if none is set.',
      }),
      url: t.exposeString('url', {
        nullable: true,
        description: 'The link of the notification: a Liquid template. Null if none is set.',
      }),
      actions: t.expose('actions', {
        type: t.listRef(StepAction),
        description: 'The buttons. The first one is the primary button.',
      }),
      data: t.expose('data', {
        type: 'JSONObject',
        description: 'Custom data of the notification. Its strings are Liquid templates. Empty if none is set.',
      }),
      payloadFields: t.stringList({
        description: 'The names of the payload fields that the notification carries as `payload`.',
        resolve: ({ payloadFields }) => payloadFields ?? [],
      }),
    }),
  }),
  email: builder.objectRef<StepOf<'email'>>('EmailStep').implement({
    description: stepDescriptions.email,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, `The subject: a Liquid template. ${requiredSubject}`),
      body: t.exposeString('body', { description: htmlBody }),
    }),
  }),
  sms: builder.objectRef<StepOf<'sms'>>('SmsStep').implement({
    description: stepDescriptions.sms,
    interfaces,
    fields: (t) => ({ body: t.exposeString('body', { description: bodyText }) }),
  }),
  chat: builder.objectRef<StepOf<'chat'>>('ChatStep').implement({
    description: stepDescriptions.chat,
    interfaces,
    fields: (t) => ({ body: t.exposeString('body', { description: bodyText }) }),
  }),
  push: builder.objectRef<StepOf<'push'>>('PushStep').implement({
    description: stepDescriptions.push,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, `The title: a Liquid template. ${requiredSubject}`),
      body: t.exposeString('body', { description: bodyText }),
    }),
  }),
  tool: builder.objectRef<StepOf<'tool'>>('ToolStep').implement({
    description: stepDescriptions.tool,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, `The summary: a Liquid template. ${optionalSubject}`),
      body: t.exposeString('body', { description: bodyText }),
    }),
  }),
  delay: builder.objectRef<StepOf<'delay'>>('DelayStep').implement({
    description: stepDescriptions.delay,
    interfaces,
    fields: (t) => ({
      amount: t.exposeInt('amount', { description: 'The length of the delay, in `unit`.' }),
      unit: t.expose('unit', { type: DurationUnit, description: 'The unit of `amount`.' }),
    }),
  }),
  digest: builder.objectRef<StepOf<'digest'>>('DigestStep').implement({
    description: stepDescriptions.digest,
    interfaces,
    fields: (t) => ({
      amount: t.exposeInt('amount', { description: 'The length of the digest window, in `unit`.' }),
      unit: t.expose('unit', { type: DurationUnit, description: 'The unit of `amount`.' }),
      key: t.exposeString('key', {
        nullable: true,
        description:
          "The payload path, such as `order.id`, whose value the collected triggers share. Null collects all of a subscriber's triggers.",
      }),
    }),
  }),
} satisfies { [Name in Type]: ObjectRef<SchemaTypes, StepOf<Name>> }

const templateOf = (max: number) => `A Liquid template over the variables of \`WorkflowStep\`: 1 to ${max} characters.`
const link = 'The result must be an http or https URL, or a path that starts with `/`.'

const commonFields = (t: InputFields) => ({
  stepId: t.string({
    description: `The key by which later steps and the execution log refer to the step: 1 to 100 letters, digits, \`_\` or \`-\`, unique in the workflow. ${byDefault('the type and position, such as `email-2`')}`,
  }),
  name: t.string({ description: 'The display name: 1 to 255 characters.' }),
  active: t.boolean({ description: `True if the step is executed. Otherwise it is skipped. ${byDefault('true')}` }),
  condition: t.field({
    type: 'JSONObject',
    description: `The JSON-logic condition for executing the step, over the variables of \`WorkflowStep\`. At most ${MAX_CONDITION_DEPTH} operations deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\`. ${byDefault('always')}`,
  }),
})

const bodyField = (t: InputFields) => t.string({ required: true, description: `The text. ${templateOf(MAX_TEXT)}` })

const waitFields = (t: InputFields) => ({
  amount: t.int({
    required: true,
    description: `The duration, in \`unit\`: at least 1. The steps of a workflow can wait at most ${MAX_WAIT_DAYS} days in total.`,
  }),
  unit: t.field({ type: DurationUnit, required: true, description: 'The unit of `amount`.' }),
})

const StepActionInput = builder.inputType('StepActionInput', {
  description: 'A button of an in-app notification.',
  fields: (t) => ({
    label: t.string({ required: true, description: `The label. ${templateOf(MAX_SUBJECT)}` }),
    url: t.string({ required: true, description: `The link. ${templateOf(MAX_URL)} ${link}` }),
  }),
})

/** The fields of each step input, without the common ones. */
const inputFields = {
  in_app: (t: InputFields) => ({
    subject: t.string({ description: `The heading. ${templateOf(MAX_SUBJECT)}` }),
    body: bodyField(t),
    avatar: t.string({ description: `The URL of an image. ${templateOf(MAX_URL)} ${link}` }),
    url: t.string({ description: `The link of the notification. ${templateOf(MAX_URL)} ${link}` }),
    actions: t.field({
      type: [StepActionInput],
      description: `At most ${MAX_ACTIONS} buttons. The first one is the primary button.`,
    }),
    data: t.field({
      type: 'JSONObject',
      description: `Custom data of the notification. Its strings, at any depth, are Liquid templates, ${MAX_DATA_TEMPLATES} at most, and always result in text. At most ${MAX_FEED_DATA / 1024} KiB of JSON, before and after they are rendered.`,
    }),
    payloadFields: t.stringList({
      description: `Names of fields at the top of the payload that the notification carries as \`payload\`: at most ${MAX_PAYLOAD_FIELDS}. Their values may have at most ${MAX_FEED_DATA / 1024} KiB of JSON together. ${byDefault('none')}`,
    }),
  }),
  email: (t: InputFields) => ({
    subject: t.string({ required: true, description: `The subject. ${templateOf(MAX_SUBJECT)}` }),
    body: t.string({ required: true, description: `${htmlBody} 1 to ${MAX_HTML} characters.` }),
  }),
  sms: (t: InputFields) => ({ body: bodyField(t) }),
  chat: (t: InputFields) => ({ body: bodyField(t) }),
  push: (t: InputFields) => ({
    subject: t.string({ required: true, description: `The title. ${templateOf(MAX_SUBJECT)}` }),
    body: bodyField(t),
  }),
  tool: (t: InputFields) => ({
    subject: t.string({ description: `The summary. ${templateOf(MAX_SUBJECT)}` }),
    body: bodyField(t),
  }),
  delay: waitFields,
  digest: (t: InputFields) => ({
    ...waitFields(t),
    key: t.string({
      description: `The payload path, such as \`order.id\`, whose value the collected triggers share: 1 to 255 characters. ${byDefault("all of a subscriber's triggers are collected")}`,
    }),
  }),
} satisfies Record<Type, unknown>

/** The input of a step: the fields of its type, and the common ones. */
export const stepInput = (type: Type) =>
  builder.inputType(`${steps[type].name}Input`, {
    description: stepDescriptions[type],
    fields: (t) => ({ ...commonFields(t), ...inputFields[type](t) }),
  })
