// The steps of a workflow as they are given: an input with one field for each kind of step, of which one is given.
import { StepType } from '../data/prisma/enums.ts'
import {
  MAX_ACTIONS,
  MAX_BODY,
  MAX_HTML,
  MAX_STEPS,
  MAX_SUBJECT,
  MAX_URL,
  MAX_WAIT_DAYS,
} from '../domain/workflow-step.ts'
import type { Issue } from '../lib/errors.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../lib/json-logic.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { DurationUnit, type Kind, stepDescriptions } from './workflow-step.ts'

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

const aTemplate = (max: number) => `a Liquid template of 1 to ${max} characters`

const commonFields = (t: InputFields) => ({
  stepId: t.string({
    description:
      'What later steps and the story of an event are to call it by: 1 to 100 letters, digits, `_` or `-`, unique in the workflow. Absent means one that is made of its kind and position, such as `email-2`.',
  }),
  name: t.string({ description: 'Its name, for people: 1 to 255 characters. Absent means none.' }),
  active: t.boolean({ description: 'Whether it is done. Absent means yes.' }),
  condition: t.field({
    type: 'JSONObject',
    description: `The JSON-logic condition under which it is done, over \`subscriber\`, \`payload\`, \`context\` and \`steps\`, of which it may name earlier ones only: at most ${MAX_CONDITION_DEPTH} operations deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\`. Absent means always.`,
  }),
})

const subjectField = (t: InputFields, what: string) =>
  t.string({ required: true, description: `${what}: ${aTemplate(MAX_SUBJECT)}.` })

const bodyField = (t: InputFields) => t.string({ required: true, description: `What it says: ${aTemplate(MAX_BODY)}.` })

const waitFields = (t: InputFields) => ({
  amount: t.int({
    required: true,
    description: `How long, in \`unit\`: at least 1. All steps of a workflow wait at most ${MAX_WAIT_DAYS} days together.`,
  }),
  unit: t.field({ type: DurationUnit, required: true, description: 'What `amount` counts.' }),
})

const StepActionInput = builder.inputType('StepActionInput', {
  description: 'A button of an in-app notification.',
  fields: (t) => ({
    label: t.string({ required: true, description: `What stands on it: ${aTemplate(MAX_SUBJECT)}.` }),
    url: t.string({
      required: true,
      description: `Where it leads: ${aTemplate(MAX_URL)}. It must become an http or https address, or a path that begins with \`/\`.`,
    }),
  }),
})

const members = {
  in_app: builder.inputType('InAppStepInput', {
    description: stepDescriptions.in_app,
    fields: (t) => ({
      ...commonFields(t),
      subject: t.string({ description: `The headline: ${aTemplate(MAX_SUBJECT)}. Absent means none.` }),
      body: bodyField(t),
      avatar: t.string({
        description: `The address of a picture: ${aTemplate(MAX_URL)}, which must become an http or https address, or a path that begins with \`/\`. Absent means none.`,
      }),
      url: t.string({
        description: `Where the notification leads: ${aTemplate(MAX_URL)}, which must become an http or https address, or a path that begins with \`/\`. Absent means nowhere.`,
      }),
      actions: t.field({
        type: [StepActionInput],
        description: `Its buttons, at most ${MAX_ACTIONS}, the first of which is the primary one. Absent means none.`,
      }),
      data: t.field({
        type: 'JSONObject',
        description:
          'What the feed is to get beside the texts, as it is: at most 64 KiB of JSON. Absent means nothing.',
      }),
    }),
  }),
  email: builder.inputType('EmailStepInput', {
    description: stepDescriptions.email,
    fields: (t) => ({
      ...commonFields(t),
      subject: subjectField(t, 'The subject'),
      body: t.string({
        required: true,
        description: `The HTML: ${aTemplate(MAX_HTML)}. What is put in is escaped, unless it ends with \`| raw\`.`,
      }),
    }),
  }),
  sms: builder.inputType('SmsStepInput', {
    description: stepDescriptions.sms,
    fields: (t) => ({ ...commonFields(t), body: bodyField(t) }),
  }),
  chat: builder.inputType('ChatStepInput', {
    description: stepDescriptions.chat,
    fields: (t) => ({ ...commonFields(t), body: bodyField(t) }),
  }),
  push: builder.inputType('PushStepInput', {
    description: stepDescriptions.push,
    fields: (t) => ({ ...commonFields(t), subject: subjectField(t, 'The title'), body: bodyField(t) }),
  }),
  tool: builder.inputType('ToolStepInput', {
    description: stepDescriptions.tool,
    fields: (t) => ({
      ...commonFields(t),
      subject: t.string({ description: `The summary: ${aTemplate(MAX_SUBJECT)}. Absent means none.` }),
      body: bodyField(t),
    }),
  }),
  delay: builder.inputType('DelayStepInput', {
    description: stepDescriptions.delay,
    fields: (t) => ({ ...commonFields(t), ...waitFields(t) }),
  }),
  digest: builder.inputType('DigestStepInput', {
    description: stepDescriptions.digest,
    fields: (t) => ({
      ...commonFields(t),
      ...waitFields(t),
      key: t.string({
        description:
          'The path in the payload, such as `order.id`, whose value triggers must share to be gathered together: 1 to 255 characters. Absent gathers all of a subscriber.',
      }),
    }),
  }),
} satisfies Record<Kind, unknown>

const WorkflowStepInput = builder.inputType('WorkflowStepInput', {
  description: 'One of the things that a workflow is to do: exactly one of these, which is its kind.',
  isOneOf: true,
  fields: (t) => ({
    inApp: t.field({ type: members.in_app, description: stepDescriptions.in_app }),
    email: t.field({ type: members.email, description: stepDescriptions.email }),
    sms: t.field({ type: members.sms, description: stepDescriptions.sms }),
    chat: t.field({ type: members.chat, description: stepDescriptions.chat }),
    push: t.field({ type: members.push, description: stepDescriptions.push }),
    tool: t.field({ type: members.tool, description: stepDescriptions.tool }),
    delay: t.field({ type: members.delay, description: stepDescriptions.delay }),
    digest: t.field({ type: members.digest, description: stepDescriptions.digest }),
  }),
})

type Given = typeof WorkflowStepInput.$inferInput

/** The steps among the fields of a workflow's input. */
export const stepsField = (t: InputFields) =>
  t.field({
    type: [WorkflowStepInput],
    description: `What it does, one after the other: at most ${MAX_STEPS} steps, replaced whole. Of a new workflow none, unless told otherwise.`,
  })

/** The kind that each field of the input gives. */
const kinds = new Map(
  Object.values(StepType).map((type) => [
    type.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    type,
  ]),
)

const memberOf = (step: Given | undefined) => Object.entries<Record<string, unknown> | undefined>(step ?? {})[0] ?? []

/** Steps as the domain takes them: each with its type among its fields. */
export function readSteps(steps: readonly Given[]): Record<string, unknown>[] {
  return steps.map((step) => {
    const [member = '', fields] = memberOf(step)
    return { ...fields, type: kinds.get(member) }
  })
}

/** Where a field of the domain's own `steps` is in an input with these. */
export function locateStep(path: Issue['path'], steps: readonly Given[] | null | undefined): Issue['path'] {
  const [root, position, ...rest] = path
  if (root !== 'steps' || typeof position !== 'number' || rest.length === 0) return path
  const [member = ''] = memberOf(steps?.[position])
  return [root, position, member, ...rest]
}
