// Workflow steps: an interface with one object type and one input type for each type of step.
import type { InterfaceRef, ObjectRef } from '@pothos/core'
import type { Channel, StepType as Type } from '../data/prisma/enums.ts'
import type { IncidentAction as Incident, ProviderChannel } from '../domain/channel/channel.ts'
import { MAX_DIGESTED } from '../data/workflow.ts'
import {
  type Duration,
  type durationUnits,
  expiresAfterOf,
  extendsToSchedule,
  selectedIntegration,
  type Step,
  type StepOf,
  timeLimitOf,
} from '../domain/workflow-step.ts'
import { emailStepFields } from './email-step.ts'
import { LinkTarget } from './link-target.ts'
import { builder, type ObjectFields, type SchemaTypes } from './schema/builder.ts'

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
- \`steps\`: the earlier steps by \`stepId\`, each with \`status\`, \`reason\`, \`seen\`, \`read\` and \`messageId\`, which is the Message-ID of its email. The step of the last digest also has \`eventCount\` and \`events\`, with the values of \`digest.count\` and \`digest.events\`.
- \`digest\`: after a digest, \`digest.count\`, the number of collected triggers, and \`digest.events\`, the newest ${MAX_DIGESTED} of them in order of time, each with \`payload\`, \`createdAt\`, \`transactionId\` and \`actor\`, which has \`subscriberId\`, \`firstName\` and \`lastName\`, or is null. Null before a digest.
- \`unsubscribe\`: in messages, \`unsubscribe.url\`, a page on which the recipient unsubscribes, and \`unsubscribe.preferencesUrl\`, the recipient's preference page. Both are empty in notifications, in critical workflows, in workflows that turn unsubscribing off, and if the gateway has no public https address.

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

export const DurationUnit = builder.enumType('DurationUnit', {
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

export const IncidentAction = builder.enumType('IncidentAction', {
  description: 'What a message does with an incident at PagerDuty, Opsgenie or Grafana OnCall.',
  values: {
    TRIGGER: { value: 'trigger', description: 'Opens the incident, or adds to the open one with the same key.' },
    ACKNOWLEDGE: {
      value: 'acknowledge',
      description: 'Acknowledges the incident. Grafana OnCall does not support it.',
    },
    RESOLVE: { value: 'resolve', description: 'Resolves the incident.' },
  } as const satisfies { [Action in Incident as Uppercase<Action>]: { value: Action; description: string } },
})

const DurationRef = builder.objectRef<Duration>('Duration').implement({
  description: 'A length of time.',
  fields: (t) => ({
    amount: t.exposeInt('amount', { description: 'The length, in `unit`.' }),
    unit: t.expose('unit', { type: DurationUnit, description: 'The unit of `amount`.' }),
  }),
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
    target: t.field({
      type: LinkTarget,
      nullable: true,
      description: 'Where the link opens. Null if none is set.',
      resolve: ({ target }) => target ?? null,
    }),
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
export const htmlBody =
  'The HTML: a Liquid template over the variables of `WorkflowStep`. Values of variables are escaped unless the expression ends with `| raw`.'
const interfaces = [WorkflowStep]

const expiryField = (t: ObjectFields<StepOf<Channel>>) =>
  t.field({
    type: DurationRef,
    nullable: true,
    description:
      'How long the message is of use, from the acceptance of the event. After that, it is not sent. Null means always.',
    resolve: expiresAfterOf,
  })

/** The integration of a message that a provider sends, and the limits to its time. */
const sendingFields = (t: ObjectFields<StepOf<ProviderChannel>>) => ({
  expiresAfter: expiryField(t),
  timeLimit: t.field({
    type: DurationRef,
    nullable: true,
    description:
      'How long the message may be attempted, from the start of the step. Then the step fails, and a run that waits for it continues. Null means until the last attempt.',
    resolve: timeLimitOf,
  }),
  integrationIdentifier: t.string({
    nullable: true,
    description: 'The identifier of the integration that sends the message, before the fallbacks. Null for any.',
    resolve: selectedIntegration,
  }),
})

/** The options of the field of a delay or a digest. */
const extendToSchedule = {
  description:
    "True if a wait that ends outside the hours of the subscriber's schedule is prolonged to its next hours, at most three times.",
  resolve: extendsToSchedule,
} as const

export const steps = {
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
      target: t.field({
        type: LinkTarget,
        nullable: true,
        description: 'Where the link of the notification opens. Null if none is set.',
        resolve: ({ target }) => target ?? null,
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
      expiresAfter: expiryField(t),
    }),
  }),
  email: builder.objectRef<StepOf<'email'>>('EmailStep').implement({
    description: stepDescriptions.email,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, `The subject: a Liquid template. ${requiredSubject}`),
      body: t.exposeString('body', { description: htmlBody }),
      ...emailStepFields(t),
      ...sendingFields(t),
    }),
  }),
  sms: builder.objectRef<StepOf<'sms'>>('SmsStep').implement({
    description: stepDescriptions.sms,
    interfaces,
    fields: (t) => ({ body: t.exposeString('body', { description: bodyText }), ...sendingFields(t) }),
  }),
  chat: builder.objectRef<StepOf<'chat'>>('ChatStep').implement({
    description: stepDescriptions.chat,
    interfaces,
    fields: (t) => ({ body: t.exposeString('body', { description: bodyText }), ...sendingFields(t) }),
  }),
  push: builder.objectRef<StepOf<'push'>>('PushStep').implement({
    description: stepDescriptions.push,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, `The title: a Liquid template. ${requiredSubject}`),
      body: t.exposeString('body', { description: bodyText }),
      ...sendingFields(t),
    }),
  }),
  tool: builder.objectRef<StepOf<'tool'>>('ToolStep').implement({
    description: stepDescriptions.tool,
    interfaces,
    fields: (t) => ({
      incidentKey: t.string({
        nullable: true,
        description:
          'The key of the incident: a Liquid template. Messages with the same key are about the same incident. Null for an incident of its own for each message.',
        resolve: ({ incidentKey }) => incidentKey ?? null,
      }),
      incidentAction: t.field({
        type: IncidentAction,
        description: 'What the message does with the incident.',
        resolve: ({ incidentAction }) => incidentAction ?? 'trigger',
      }),
      subject: subjectField(t, `The summary: a Liquid template. ${optionalSubject}`),
      body: t.exposeString('body', { description: bodyText }),
      ...sendingFields(t),
    }),
  }),
  delay: builder.objectRef<StepOf<'delay'>>('DelayStep').implement({
    description: stepDescriptions.delay,
    interfaces,
    fields: (t) => ({
      amount: t.exposeInt('amount', { description: 'The length of the delay, in `unit`.' }),
      unit: t.expose('unit', { type: DurationUnit, description: 'The unit of `amount`.' }),
      extendToSchedule: t.boolean(extendToSchedule),
    }),
  }),
  digest: builder.objectRef<StepOf<'digest'>>('DigestStep').implement({
    description: stepDescriptions.digest,
    interfaces,
    fields: (t) => ({
      amount: t.exposeInt('amount', { description: 'The length of the digest window, in `unit`.' }),
      unit: t.expose('unit', { type: DurationUnit, description: 'The unit of `amount`.' }),
      extendToSchedule: t.boolean(extendToSchedule),
      key: t.exposeString('key', {
        nullable: true,
        description:
          "The payload path, such as `order.id`, whose value the collected triggers share. Null collects all of a subscriber's triggers.",
      }),
    }),
  }),
} satisfies { [Name in Type]: ObjectRef<SchemaTypes, StepOf<Name>> }
