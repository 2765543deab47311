// Workflow steps as input, with one field for each step type. The output types are in workflow-step.ts.
import { StepType } from '../data/prisma/enums.ts'
import {
  MAX_ACTIONS,
  MAX_FEED_DATA,
  MAX_HTML,
  MAX_INCIDENT_KEY,
  MAX_PAYLOAD_FIELDS,
  MAX_SUBJECT,
  MAX_TEXT,
  MAX_URL,
} from '../domain/channel/channel.ts'
import { MAX_DATA_TEMPLATES } from '../domain/channel/data-templates.ts'
import { MAX_LIMIT_DAYS, MAX_STEPS, MAX_WAIT_DAYS } from '../domain/workflow-step.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../evaluation/condition.ts'
import type { Issue } from '../lib/errors.ts'
import { emailInputs } from './email-step.ts'
import { LinkTarget } from './link-target.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byDefault } from './schema/wording.ts'
import { DurationUnit, htmlBody, IncidentAction, stepDescriptions, steps } from './workflow-step.ts'

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
  extendToSchedule: t.boolean({
    description: `True prolongs a wait that ends outside the hours of the subscriber's schedule to its next hours, at most three times. ${byDefault('false')}`,
  }),
})

const DurationInput = builder.inputType('DurationInput', {
  description: 'A length of time.',
  fields: (t) => ({
    amount: t.int({ required: true, description: 'The length, in `unit`: at least 1.' }),
    unit: t.field({ type: DurationUnit, required: true, description: 'The unit of `amount`.' }),
  }),
})

const limits = `1 second to ${MAX_LIMIT_DAYS} days.`

const expiryInput = (t: InputFields) =>
  t.field({
    type: DurationInput,
    description: `How long the message is of use, from the acceptance of the event: ${limits} After that, it is not sent. ${byDefault('always')}`,
  })

const sendingInputs = (t: InputFields) => ({
  expiresAfter: expiryInput(t),
  timeLimit: t.field({
    type: DurationInput,
    description: `How long the message may be attempted, from the start of the step: ${limits} Then the step fails, and a run that waits for it continues. ${byDefault('until the last attempt')}`,
  }),
  integrationIdentifier: t.string({
    description: `The identifier of the integration that sends the message: one of the channel of the step. Its fallbacks still apply. If it is renamed, the step has to be changed too. ${byDefault('the preferred integration of the channel')}`,
  }),
})

const StepActionInput = builder.inputType('StepActionInput', {
  description: 'A button of an in-app notification.',
  fields: (t) => ({
    label: t.string({ required: true, description: `The label. ${templateOf(MAX_SUBJECT)}` }),
    url: t.string({ required: true, description: `The link. ${templateOf(MAX_URL)} ${link}` }),
    target: t.field({ type: LinkTarget, description: `Where the link opens. ${byDefault('the application decides')}` }),
  }),
})

/** The fields of each step input, without the common ones. */
const inputFields = {
  in_app: (t: InputFields) => ({
    subject: t.string({ description: `The heading. ${templateOf(MAX_SUBJECT)}` }),
    body: bodyField(t),
    avatar: t.string({ description: `The URL of an image. ${templateOf(MAX_URL)} ${link}` }),
    url: t.string({ description: `The link of the notification. ${templateOf(MAX_URL)} ${link}` }),
    target: t.field({ type: LinkTarget, description: `Where the link opens. ${byDefault('the application decides')}` }),
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
    expiresAfter: expiryInput(t),
  }),
  email: (t: InputFields) => ({
    subject: t.string({ required: true, description: `The subject. ${templateOf(MAX_SUBJECT)}` }),
    body: t.string({ required: true, description: `${htmlBody} 1 to ${MAX_HTML} characters.` }),
    ...emailInputs(t),
    ...sendingInputs(t),
  }),
  sms: (t: InputFields) => ({ body: bodyField(t), ...sendingInputs(t) }),
  chat: (t: InputFields) => ({ body: bodyField(t), ...sendingInputs(t) }),
  push: (t: InputFields) => ({
    subject: t.string({ required: true, description: `The title. ${templateOf(MAX_SUBJECT)}` }),
    body: bodyField(t),
    ...sendingInputs(t),
  }),
  tool: (t: InputFields) => ({
    incidentKey: t.string({
      description: `The key of the incident. ${templateOf(MAX_SUBJECT)} It must render to 1 to ${MAX_INCIDENT_KEY} characters. ${byDefault('each message opens an incident of its own')}`,
    }),
    incidentAction: t.field({
      type: IncidentAction,
      description: `What the message does with the incident. All except \`TRIGGER\` require \`incidentKey\`. ${byDefault('`TRIGGER`')}`,
    }),
    subject: t.string({ description: `The summary. ${templateOf(MAX_SUBJECT)}` }),
    body: bodyField(t),
    ...sendingInputs(t),
  }),
  delay: waitFields,
  digest: (t: InputFields) => ({
    ...waitFields(t),
    key: t.string({
      description: `The payload path, such as \`order.id\`, whose value the collected triggers share: 1 to 255 characters. ${byDefault("all of a subscriber's triggers are collected")}`,
    }),
  }),
} satisfies Record<StepType, unknown>

/** The input of a step: the fields of its type, and the common ones. */
const stepInput = (type: StepType) =>
  builder.inputType(`${steps[type].name}Input`, {
    description: stepDescriptions[type],
    fields: (t) => ({ ...commonFields(t), ...inputFields[type](t) }),
  })

const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())

const members = Object.values(StepType).map((type) => ({ type, member: camelCase(type), input: stepInput(type) }))

const WorkflowStepInput = builder.inputType('WorkflowStepInput', {
  description:
    'One step. Set exactly one field; it determines the step type. `WorkflowStep` describes the variables of templates and conditions.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      members.map(({ type, member, input }) => [member, t.field({ type: input, description: stepDescriptions[type] })]),
    ),
})

type Given = typeof WorkflowStepInput.$inferInput

/** The `steps` field of the workflow inputs. @param effect how it affects the steps of the workflow, in sentences. */
export const stepsField = (t: InputFields, effect = 'Replaces all steps. Default for a new workflow: none.') =>
  t.field({ type: [WorkflowStepInput], description: `At most ${MAX_STEPS} steps, in order of execution. ${effect}` })

const memberOf = (step: Given | undefined) => members.find(({ member }) => step?.[member])

/** Converts steps to the domain's input, with the type as a field of each step. */
export function readSteps(steps: readonly Given[]): Record<string, unknown>[] {
  return steps.map((step) => {
    const found = memberOf(step)
    return found ? { ...step[found.member], type: found.type } : {}
  })
}

/** Converts a path in the domain's input to the mutation's: `steps.0.body` to `steps.0.<member>.body`. */
export function locateStep(path: Issue['path'], steps: readonly Given[] | null | undefined): Issue['path'] {
  const [root, position, ...rest] = path
  if (root !== 'steps' || typeof position !== 'number' || rest.length === 0) return path
  return [root, position, memberOf(steps?.[position])?.member ?? '', ...rest]
}
