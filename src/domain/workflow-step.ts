// The steps of a workflow. Each sends through a channel or waits.
import { z } from 'zod'
import { Channel, type StepType } from '../data/prisma/enums.ts'
import { condition, variablesOf } from '../evaluation/condition.ts'
import type { Template } from '../evaluation/template.ts'
import type { Issue, Path } from '../lib/errors.ts'
import { type JsonObject, jsonObject, text, trimmedText, storableText } from '../lib/validation.ts'
import { channelSteps } from './channel/channel.ts'
import { dataTemplates, templatedData } from './channel/data-templates.ts'
import { emailObjections, emailTemplates } from './channel/email-step.ts'
import type { StepReading } from './channel/step-reading.ts'
import { jsonColumn } from './channel/stored-json.ts'

export const MAX_STEPS = 20

/** Maximum duration of `expiresAfter` and `timeLimit`. */
export const MAX_LIMIT_DAYS = 30

/** Maximum total of all delays and digests of a workflow. */
export const MAX_WAIT_DAYS = 90

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** In milliseconds. */
const units = { seconds: second, minutes: minute, hours: hour, days: day, weeks: 7 * day }

export const durationUnits = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const satisfies (keyof typeof units)[]

const variables = '`subscriber`, `payload`, `context`, `actor`, `workflow`, `transactionId`, `steps` and `digest`'

const liquid = { description: `A Liquid template over ${variables}.` }

/** `assertWorkflow` later checks the text as a template. */
const asGiven: StepReading = {
  template: (max) => text(max, 1).meta(liquid),
  optional: (schema) => schema.nullish().transform((value) => value ?? null),
  or: (schema, otherwise) => schema.nullish().transform((value) => value ?? otherwise),
  added: (schema, otherwise) => schema.nullish().transform((value) => value ?? otherwise),
  data: templatedData,
}

/** Stored steps are valid, so their templates are not parsed again. */
const asStored: StepReading = {
  template: () => storableText.meta(liquid),
  optional: (schema) => schema.nullable(),
  or: (schema) => schema,
  added: (schema) => schema.optional(),
  data: jsonObject(),
}

const wait = {
  amount: z.int().min(1).meta({ description: 'The duration, in `unit`.' }),
  unit: z.enum(durationUnits),
}

/** A type of JSON, which an interface is not. */
export type Duration = { amount: number; unit: (typeof durationUnits)[number] }

/** Returns a duration, or that of a step, in milliseconds. */
export function durationOf({ amount, unit }: Duration): number {
  return amount * units[unit]
}

/** A limit to the time of a message. */
const limit: z.ZodType<Duration> = z
  .object(wait)
  .refine((given) => durationOf(given) <= MAX_LIMIT_DAYS * day, `must be 1 second to ${MAX_LIMIT_DAYS} days`)

const stepId = z.string().regex(/^[a-zA-Z0-9_-]{1,100}$/, 'must be 1 to 100 letters, digits, "_" or "-"')

function schemaOf<Id extends z.ZodType>(stepId: Id, condition: z.ZodType<JsonObject>, reading: StepReading) {
  const common = {
    stepId,
    name: reading.optional(trimmedText(255)),
    active: reading
      .or(z.boolean(), true)
      .meta({ description: 'True if the step is executed. Otherwise it is skipped.' }),
    condition: reading.optional(condition).meta({
      description: `A JSON-logic condition over ${variables}. \`steps\` has the earlier steps.`,
    }),
  }
  const key = reading.optional(trimmedText(255)).meta({
    description: 'The path in the payload whose value the collected triggers share.',
  })
  const times = {
    expiresAfter: reading.added(limit.nullable(), null).meta({
      description: 'How long the message is of use, from the acceptance of the event. Later, it is not sent.',
    }),
    timeLimit: reading.added(limit.nullable(), null).meta({
      description: 'How long the message may be attempted, from the start of the step. Then the run continues.',
    }),
    integrationIdentifier: reading.added(text(255, 1).nullable(), null).meta({
      description: 'The integration of the channel that sends the message, before its fallbacks.',
    }),
  }
  const extension = {
    extendToSchedule: reading.added(z.boolean(), false).meta({
      description: "True if the wait ends in the hours of the subscriber's schedule: it is prolonged to the next ones.",
    }),
  }
  const { in_app, ...others } = channelSteps(common, times, reading)
  const waiting = {
    delay: z.object({ type: z.literal('delay'), ...common, ...wait, ...extension }),
    digest: z.object({ type: z.literal('digest'), ...common, ...wait, ...extension, key }),
  } satisfies { [Type in Exclude<StepType, Channel>]: z.ZodType<{ type: Type }> }
  return z.discriminatedUnion('type', [in_app, ...Object.values(others), ...Object.values(waiting)])
}

const givenStep = schemaOf(stepId.nullish(), condition, asGiven)

/** The schema of a stored step, which REST also returns. */
export const step = schemaOf(stepId, jsonObject(), asStored)

export type Step = z.output<typeof step>
type GivenStep = z.output<typeof givenStep>

export type StepOf<Type extends StepType> = Extract<Step, { type: Type }>
export type ChannelStep = StepOf<Channel>

export function isChannelStep(step: Step): step is ChannelStep {
  return step.type in Channel
}

/** A template of a step, and the path of its field. */
interface StepTemplate extends Template {
  readonly path: Path
}

/** Returns the templates of a step. Absent ones are left out. */
export function templatesOf(step: ChannelStep): readonly StepTemplate[] {
  const fields = [
    { path: ['subject'], text: 'subject' in step ? step.subject : null },
    { path: ['body'], text: step.body },
    { path: ['incidentKey'], text: 'incidentKey' in step ? step.incidentKey : null },
    ...(step.type === 'email' ? emailTemplates(step) : []),
    ...(step.type === 'in_app'
      ? [
          { path: ['avatar'], text: step.avatar },
          { path: ['url'], text: step.url },
          ...step.actions.flatMap(({ label, url }, index) => [
            { path: ['actions', index, 'label'], text: label },
            { path: ['actions', index, 'url'], text: url },
          ]),
          // Earlier versions did not render data, so what they stored is no template.
          ...(step.payloadFields === undefined ? [] : dataTemplates(step.data, ['data'])),
        ]
      : []),
  ]
  return fields.flatMap(({ path, text }) => {
    // HTML must be escaped: a variable, such as the subscriber's name, must not become markup.
    const escape = step.type === 'email' && path[0] === 'body' ? 'html' : 'none'
    return text ? [{ path, text, escape }] : []
  })
}

/** The limits of a step to the time of its messages. Null if it has none. */
export const expiresAfterOf = (step: Step): Duration | null => ('expiresAfter' in step && step.expiresAfter) || null
export const timeLimitOf = (step: Step): Duration | null => ('timeLimit' in step && step.timeLimit) || null

/** Returns true if the wait of a step is prolonged to the hours of the subscriber's schedule. */
export const extendsToSchedule = (step: Step): boolean => 'extendToSchedule' in step && step.extendToSchedule === true

/** The identifier of the integration that a step selects. Null if it selects none. */
export const selectedIntegration = (step: Step): string | null =>
  ('integrationIdentifier' in step && step.integrationIdentifier) || null

/** Reads the steps of a workflow, in order. */
export const stepsOf = jsonColumn<readonly Step[]>()

/** Returns the ids of the steps that a condition reads as `steps.<stepId>`, without duplicates. */
export function stepsReferredTo(condition: JsonObject | null): readonly string[] {
  const named = variablesOf(condition).flatMap(([root, stepId]) =>
    root === 'steps' && stepId !== undefined ? [stepId] : [],
  )
  return [...new Set(named)]
}

/** Returns true if a condition or template may read the outcome of earlier steps: its text contains `steps`. */
export function asksForSteps(step: Step): boolean {
  return JSON.stringify(step).includes('steps')
}

/** Returns true if a template may refer to the email of an earlier step: its text contains `messageId`. */
export function asksForMessageIds(step: Step): boolean {
  return JSON.stringify(step).includes('messageId')
}

/** Returns true if a condition or template may refer to the receipt of an earlier message: its text contains the name of one. */
export function asksForReceipts(step: Step): boolean {
  return /delivered|bounced/.test(JSON.stringify(step))
}

/** Adds missing ids, which are unique and consist of type and position. */
function withIds(steps: readonly GivenStep[]): Step[] {
  const taken = new Set(steps.map(({ stepId }) => stepId))
  return steps.map(({ stepId, ...step }, index) => {
    if (stepId) return { stepId, ...step }
    let id = `${step.type}-${index + 1}`
    while (taken.has(id)) id = `${id}-${index + 1}`
    taken.add(id)
    return { stepId: id, ...step }
  })
}

/** Yields the errors in a sequence of steps. */
function* objections(steps: readonly Step[]): Generator<Issue> {
  const earlier = new Set<string>()
  for (const [index, step] of steps.entries()) {
    const { stepId, condition } = step
    if (step.type === 'tool' && step.incidentAction !== 'trigger' && !step.incidentKey) {
      yield { path: [index, 'incidentKey'], message: `must be set to ${step.incidentAction} an incident` }
    }
    if (step.type === 'email') yield* emailObjections(step, [index])
    if (earlier.has(stepId)) {
      yield { path: [index, 'stepId'], message: `must be unique: the workflow has an earlier step "${stepId}"` }
    }
    const later = stepsReferredTo(condition).find((id) => !earlier.has(id))
    if (later !== undefined) {
      const known = earlier.size === 0 ? 'there are none' : [...earlier].join(', ')
      yield { path: [index, 'condition'], message: `must refer to earlier steps only (${known}), not "steps.${later}"` }
    }
    earlier.add(stepId)
  }
  const waits = steps.reduce((sum, step) => sum + ('amount' in step ? durationOf(step) : 0), 0)
  if (waits > MAX_WAIT_DAYS * day) yield { path: [], message: `must wait at most ${MAX_WAIT_DAYS} days in total` }
}

/** The input schema of a workflow's steps: each step, and their sequence. */
export const steps: z.ZodType<Step[], unknown[]> = z
  .array(givenStep)
  .max(MAX_STEPS)
  .transform(withIds)
  .check(({ value, issues }) => {
    for (const { path, message } of objections(value)) {
      issues.push({ code: 'custom', message, path: [...path], input: value })
    }
  })
  .meta({ description: 'The steps, in order. An update replaces all of them. Texts are Liquid templates.' })
