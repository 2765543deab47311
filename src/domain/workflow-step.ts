// Steps of a workflow: what it does one after the other. Each sends by a channel, or waits.
import { z } from 'zod'
import type { Prisma } from '../data/prisma/client.ts'
import { Channel, type StepType } from '../data/prisma/enums.ts'
import { condition, variablesOf } from '../lib/json-logic.ts'
import { template } from '../lib/template.ts'
import { type JsonObject, jsonObject, trimmedText } from '../lib/validation.ts'

export const MAX_STEPS = 20
export const MAX_ACTIONS = 2
/** Of the templates of a step, in characters. */
export const MAX_SUBJECT = 1000
export const MAX_BODY = 20_000
export const MAX_HTML = 100_000
export const MAX_URL = 2048

/** What delays and digests of one workflow may come to together. */
export const MAX_WAIT_DAYS = 90

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** In milliseconds. A day always has 24 hours. */
const units = { seconds: second, minutes: minute, hours: hour, days: day, weeks: 7 * day }

export const durationUnits = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const satisfies (keyof typeof units)[]

/** A template of at most so many characters, or in a stored row its text as it was taken in. */
type Template = (max: number) => z.ZodType<string, string>

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null)

const wait = {
  amount: z.int().min(1),
  unit: z.enum(durationUnits),
}

/** What each type of step consists of, beside what all steps have. */
const contents = (template: Template) =>
  ({
    in_app: {
      subject: optional(template(MAX_SUBJECT)),
      body: template(MAX_BODY),
      avatar: optional(template(MAX_URL)),
      url: optional(template(MAX_URL)),
      actions: z
        .array(z.object({ label: template(MAX_SUBJECT), url: template(MAX_URL) }))
        .max(MAX_ACTIONS)
        .nullish()
        .transform((actions) => actions ?? []),
      data: jsonObject()
        .nullish()
        .transform((data) => data ?? {}),
    },
    email: { subject: template(MAX_SUBJECT), body: template(MAX_HTML) },
    sms: { body: template(MAX_BODY) },
    chat: { body: template(MAX_BODY) },
    push: { subject: template(MAX_SUBJECT), body: template(MAX_BODY) },
    tool: { subject: optional(template(MAX_SUBJECT)), body: template(MAX_BODY) },
    delay: wait,
    digest: { ...wait, key: optional(trimmedText(255)) },
  }) satisfies Record<StepType, z.ZodRawShape>

const stepId = z.string().regex(/^[a-zA-Z0-9_-]{1,100}$/, 'must be 1 to 100 letters, digits, "_" or "-"')

const common = {
  name: optional(trimmedText(255)),
  active: z
    .boolean()
    .nullish()
    .transform((active) => active ?? true),
}

function schemasOf<Common extends z.ZodRawShape>(common: Common, template: Template) {
  const { in_app, email, sms, chat, push, tool, delay, digest } = contents(template)
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('in_app'), ...common, ...in_app }),
    z.object({ type: z.literal('email'), ...common, ...email }),
    z.object({ type: z.literal('sms'), ...common, ...sms }),
    z.object({ type: z.literal('chat'), ...common, ...chat }),
    z.object({ type: z.literal('push'), ...common, ...push }),
    z.object({ type: z.literal('tool'), ...common, ...tool }),
    z.object({ type: z.literal('delay'), ...common, ...delay }),
    z.object({ type: z.literal('digest'), ...common, ...digest }),
  ])
}

const given = schemasOf({ stepId: stepId.nullish(), ...common, condition: optional(condition) }, template)
/** A row's steps were taken in once, and are not parsed again. */
const stored = z.array(schemasOf({ stepId, ...common, condition: optional(jsonObject()) }, () => z.string()))

export type Step = z.output<typeof stored>[number]
type GivenStep = z.output<typeof given>

export type StepOf<Type extends StepType> = Extract<Step, { type: Type }>
export type ChannelStep = StepOf<Channel>
export type WaitingStep = StepOf<'delay' | 'digest'>

export function isChannelStep(step: Step): step is ChannelStep {
  return step.type in Channel
}

/** How long a step waits, in milliseconds. */
export function durationOf({ amount, unit }: Pick<WaitingStep, 'amount' | 'unit'>): number {
  return amount * units[unit]
}

/** The steps of a workflow's row, in their order. */
export function stepsOf(column: Prisma.JsonValue): readonly Step[] {
  return stored.parse(column)
}

/** The steps whose outcome a condition asks for, by their ids: each as `steps.<stepId>`, once. */
export function stepsReferredTo(condition: JsonObject | null): readonly string[] {
  const named = variablesOf(condition).flatMap(([root, stepId]) =>
    root === 'steps' && stepId !== undefined ? [stepId] : [],
  )
  return [...new Set(named)]
}

interface Finding {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Steps that were given none have an id of their type and position, which no other has. */
function withIds(steps: readonly GivenStep[]): Step[] {
  const taken = new Set(steps.map(({ stepId }) => stepId))
  return steps.map(({ stepId, ...step }, index) => {
    if (stepId) return { stepId, ...step }
    let made = `${step.type}-${index + 1}`
    while (taken.has(made)) made = `${made}-${index + 1}`
    taken.add(made)
    return { stepId: made, ...step }
  })
}

/** What is wrong with steps as they follow each other. */
function* objections(steps: readonly Step[]): Generator<Finding> {
  const earlier = new Set<string>()
  for (const [index, { stepId, condition }] of steps.entries()) {
    if (earlier.has(stepId)) {
      yield { path: [index, 'stepId'], message: `is taken: the workflow has an earlier step "${stepId}"` }
    }
    const later = stepsReferredTo(condition).find((id) => !earlier.has(id))
    if (later !== undefined) {
      const known = earlier.size === 0 ? 'there is none' : [...earlier].join(', ')
      yield { path: [index, 'condition'], message: `must name earlier steps only, unlike "steps.${later}": ${known}` }
    }
    earlier.add(stepId)
  }
  const waits = steps.reduce((sum, step) => sum + ('amount' in step ? durationOf(step) : 0), 0)
  if (waits > MAX_WAIT_DAYS * day)
    yield { path: [], message: `must not wait longer than ${MAX_WAIT_DAYS} days together` }
}

/** The input schema of a workflow's steps: each readable by itself, and all of them one after the other. */
export const steps = z
  .array(given)
  .max(MAX_STEPS)
  .transform(withIds)
  .check(({ value, issues }) => {
    for (const { path, message } of objections(value)) {
      issues.push({ code: 'custom', message, path: [...path], input: value })
    }
  })
