// The steps of a workflow in the graph: an interface with one type for each kind of step.
import type { InterfaceRef, ObjectRef } from '@pothos/core'
import { StepType as types } from '../data/prisma/enums.ts'
import type { durationUnits, Step, StepOf } from '../domain/workflow-step.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'

export type Kind = Step['type']

/** What each kind of step does, in the words of everything that the graph says of it. */
export const stepDescriptions = {
  in_app: "Puts a notification into the subscriber's in-app feed.",
  email: 'Sends an e-mail.',
  sms: 'Sends a text message.',
  chat: 'Writes into a chat.',
  push: "Sends a push notification to the subscriber's devices.",
  tool: 'Calls a tool, such as one for incidents, or a webhook.',
  delay: 'Waits before the next step.',
  digest:
    'Waits and gathers the triggers that come meanwhile, so that the next steps speak of all of them: once for each subscriber.',
} as const satisfies Record<Kind, string>

export const StepType = builder.enumType('StepType', {
  description: 'What a step of a workflow does. Each has its own type of `WorkflowStep`.',
  values: {
    IN_APP: { value: types.in_app, description: stepDescriptions.in_app },
    EMAIL: { value: types.email, description: stepDescriptions.email },
    SMS: { value: types.sms, description: stepDescriptions.sms },
    CHAT: { value: types.chat, description: stepDescriptions.chat },
    PUSH: { value: types.push, description: stepDescriptions.push },
    TOOL: { value: types.tool, description: stepDescriptions.tool },
    DELAY: { value: types.delay, description: stepDescriptions.delay },
    DIGEST: { value: types.digest, description: stepDescriptions.digest },
  } as const satisfies { [Type in Kind as Uppercase<Type>]: { value: Type; description: string } },
})

export const DurationUnit = builder.enumType('DurationUnit', {
  description: 'What a time is counted in.',
  values: {
    SECONDS: { value: 'seconds', description: 'Seconds.' },
    MINUTES: { value: 'minutes', description: 'Minutes.' },
    HOURS: { value: 'hours', description: 'Hours.' },
    DAYS: { value: 'days', description: 'Days, of 24 hours each.' },
    WEEKS: { value: 'weeks', description: 'Weeks, of seven days each.' },
  } as const satisfies {
    [Unit in (typeof durationUnits)[number] as Uppercase<Unit>]: { value: Unit; description: string }
  },
})

export const WorkflowStep: InterfaceRef<SchemaTypes, Step> = builder.interfaceRef<Step>('WorkflowStep').implement({
  description: 'One of the things that a workflow does, one after the other.',
  resolveType: ({ type }) => members[type],
  fields: (t) => ({
    stepId: t.exposeString('stepId', {
      description: 'What later steps and the story of an event call it by. Unique in the workflow.',
    }),
    type: t.expose('type', { type: StepType, description: 'What it does.' }),
    name: t.exposeString('name', { nullable: true, description: 'Its name, for people. Null when it has none.' }),
    active: t.exposeBoolean('active', { description: 'Whether it is done. One that is not is skipped.' }),
    condition: t.expose('condition', {
      type: 'JSONObject',
      nullable: true,
      description:
        'The JSON-logic condition under which it is done, over `subscriber`, `payload`, `context` and `steps`. Null means always.',
    }),
  }),
})

const StepAction = builder.objectRef<StepOf<'in_app'>['actions'][number]>('StepAction').implement({
  description: 'A button of an in-app notification.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'What stands on it: a Liquid template.' }),
    url: t.exposeString('url', { description: 'Where it leads: a Liquid template.' }),
  }),
})

/** Nullable in each type, though some always have one: or no query could ask several types for it at once. */
const subjectField = <Subject extends { readonly subject: string | null }>(
  t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Subject>,
  description: string,
) => t.string({ nullable: true, description, resolve: ({ subject }) => subject })

const text = 'What it says: a Liquid template.'

const interfaces = [WorkflowStep]

const members = {
  in_app: builder.objectRef<StepOf<'in_app'>>('InAppStep').implement({
    description: stepDescriptions.in_app,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, 'The headline: a Liquid template. Null when there is none.'),
      body: t.exposeString('body', { description: text }),
      avatar: t.exposeString('avatar', {
        nullable: true,
        description: 'The address of a picture: a Liquid template. Null when there is none.',
      }),
      url: t.exposeString('url', {
        nullable: true,
        description: 'Where the notification leads: a Liquid template. Null when it leads nowhere.',
      }),
      actions: t.field({
        type: [StepAction],
        description: 'Its buttons, the first of which is the primary one.',
        resolve: ({ actions }) => [...actions],
      }),
      data: t.expose('data', {
        type: 'JSONObject',
        description: 'What the feed gets beside the texts, as it is. Empty when there is nothing.',
      }),
    }),
  }),
  email: builder.objectRef<StepOf<'email'>>('EmailStep').implement({
    description: stepDescriptions.email,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, 'The subject: a Liquid template. Never null.'),
      body: t.exposeString('body', {
        description: 'The HTML: a Liquid template. What is put in is escaped, unless it ends with `| raw`.',
      }),
    }),
  }),
  sms: builder.objectRef<StepOf<'sms'>>('SmsStep').implement({
    description: stepDescriptions.sms,
    interfaces,
    fields: (t) => ({ body: t.exposeString('body', { description: text }) }),
  }),
  chat: builder.objectRef<StepOf<'chat'>>('ChatStep').implement({
    description: stepDescriptions.chat,
    interfaces,
    fields: (t) => ({ body: t.exposeString('body', { description: text }) }),
  }),
  push: builder.objectRef<StepOf<'push'>>('PushStep').implement({
    description: stepDescriptions.push,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, 'The title: a Liquid template. Never null.'),
      body: t.exposeString('body', { description: text }),
    }),
  }),
  tool: builder.objectRef<StepOf<'tool'>>('ToolStep').implement({
    description: stepDescriptions.tool,
    interfaces,
    fields: (t) => ({
      subject: subjectField(t, 'The summary: a Liquid template. Null when there is none.'),
      body: t.exposeString('body', { description: text }),
    }),
  }),
  delay: builder.objectRef<StepOf<'delay'>>('DelayStep').implement({
    description: stepDescriptions.delay,
    interfaces,
    fields: (t) => ({
      amount: t.exposeInt('amount', { description: 'How long it waits, in `unit`.' }),
      unit: t.expose('unit', { type: DurationUnit, description: 'What `amount` counts.' }),
    }),
  }),
  digest: builder.objectRef<StepOf<'digest'>>('DigestStep').implement({
    description: stepDescriptions.digest,
    interfaces,
    fields: (t) => ({
      amount: t.exposeInt('amount', { description: 'How long it gathers, in `unit`.' }),
      unit: t.expose('unit', { type: DurationUnit, description: 'What `amount` counts.' }),
      key: t.exposeString('key', {
        nullable: true,
        description:
          'The path in the payload, such as `order.id`, whose value triggers must share to be gathered together. Null gathers all of a subscriber.',
      }),
    }),
  }),
} satisfies { [Type in Kind]: ObjectRef<SchemaTypes, StepOf<Type>> }
