// A step while it is edited: converted from the graph to the values of fields, and back to an input.
import { randomId } from '@mantine/hooks'
import type { graphql, ResultOf } from '../../../graph/graphql.ts'
import { formatJson, parseJsonObject } from '../../../parts/form/json-object.ts'
import type { StepType } from '../../../parts/step-types.ts'
import { emailInput, type EmailValues, emailValues, noEmailFields } from './email-values.ts'
import type { stepFields } from './step-fields.ts'

type StepResult = ResultOf<typeof stepFields>
type StepInput = ReturnType<typeof graphql.scalar<'WorkflowStepInput'>>
type IncidentAction = ReturnType<typeof graphql.scalar<'IncidentAction'>>
export type LinkTarget = ReturnType<typeof graphql.scalar<'LinkTarget'>>
type DurationUnit = ReturnType<typeof graphql.scalar<'DurationUnit'>>

/** Units, shortest first. */
export const durationUnits = ['SECONDS', 'MINUTES', 'HOURS', 'DAYS', 'WEEKS'] as const satisfies DurationUnit[]

/** A limit to the time of a message. An empty amount means none. */
export interface LimitValues {
  amount: number | ''
  unit: DurationUnit
}

export const incidentActions = ['TRIGGER', 'ACKNOWLEDGE', 'RESOLVE'] as const satisfies IncidentAction[]

/** The fields of all step types, of which each type uses some. Absent texts are empty. */
export interface StepValues extends EmailValues {
  /** Identifies the step on the page, even before it has an id. */
  uid: string
  type: StepType
  stepId: string
  name: string
  active: boolean
  /** JSON logic as text. Empty means always. */
  condition: string
  subject: string
  body: string
  avatar: string
  url: string
  /** A JSON object as text. */
  data: string
  payloadFields: string[]
  /** Where the link opens. Null for no choice. */
  target: LinkTarget | null
  actions: { label: string; url: string; target: LinkTarget | null }[]
  /** Empty while someone types. */
  amount: number | ''
  unit: DurationUnit
  /** True if the wait ends in the hours of the subscriber's schedule. */
  extendToSchedule: boolean
  /** The payload path of a digest. */
  key: string
  /** A template. Empty for an incident of its own. */
  incidentKey: string
  incidentAction: IncidentAction
  /** The identifier of the integration that sends the message. Empty for any. */
  integrationIdentifier: string
  expiresAfter: LimitValues
  timeLimit: LimitValues
}

/** The id of a new step: its type, with a number if the id is already in use. */
function newStepId(type: StepType, taken: readonly string[]): string {
  const name = type.toLowerCase().replace('_', '-')
  const candidates = [name, ...taken.map((_, index) => `${name}-${index + 2}`)]
  return candidates.find((candidate) => !taken.includes(candidate)) ?? name
}

const noLimit: LimitValues = { amount: '', unit: 'MINUTES' }

/** Returns a new, empty step. */
export const newStep = (type: StepType, steps: readonly StepValues[]): StepValues => ({
  uid: randomId(),
  type,
  stepId: newStepId(
    type,
    steps.map(({ stepId }) => stepId),
  ),
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
  expiresAfter: noLimit,
  timeLimit: noLimit,
  ...noEmailFields,
})

/** Returns a copy of a step with an id of its own. */
export const copyOfStep = (step: StepValues, steps: readonly StepValues[]): StepValues => {
  const { uid, stepId } = newStep(step.type, steps)
  return { ...structuredClone(step), uid, stepId }
}

/** Returns the values of a stored step. */
export function stepValues(step: StepResult): StepValues {
  return {
    ...newStep(step.type, []),
    stepId: step.stepId,
    name: step.name ?? '',
    active: step.active,
    condition: step.condition === null ? '' : formatJson(step.condition),
    ...('body' in step && { body: step.body }),
    ...('subject' in step && { subject: step.subject ?? '' }),
    ...('avatar' in step && {
      avatar: step.avatar ?? '',
      url: step.url ?? '',
      data: formatJson(step.data),
      payloadFields: [...step.payloadFields],
      actions: step.actions.map(({ label, url, target }) => ({ label, url, target })),
      target: step.target,
    }),
    ...('amount' in step && { amount: step.amount, unit: step.unit, extendToSchedule: step.extendToSchedule }),
    ...('key' in step && { key: step.key ?? '' }),
    ...('incidentKey' in step && { incidentKey: step.incidentKey ?? '', incidentAction: step.incidentAction }),
    ...('integrationIdentifier' in step && { integrationIdentifier: step.integrationIdentifier ?? '' }),
    ...('expiresAfter' in step && { expiresAfter: step.expiresAfter ?? noLimit }),
    ...('timeLimit' in step && { timeLimit: step.timeLimit ?? noLimit }),
    ...('preheader' in step && emailValues(step)),
  }
}

const optional = (text: string) => (text === '' ? null : text)

const common = ({ stepId, name, active, condition }: StepValues) => ({
  stepId: optional(stepId),
  name: optional(name),
  active,
  condition: condition === '' ? null : parseJsonObject(condition),
})

const wait = ({ amount, unit, extendToSchedule }: StepValues) => ({ amount: Number(amount), unit, extendToSchedule })

const limit = ({ amount, unit }: LimitValues) => (amount === '' ? null : { amount, unit })

const sending = ({ integrationIdentifier, expiresAfter, timeLimit }: StepValues) => ({
  integrationIdentifier: optional(integrationIdentifier),
  expiresAfter: limit(expiresAfter),
  timeLimit: limit(timeLimit),
})

const inputs = {
  IN_APP: (step) => ({
    inApp: {
      ...common(step),
      subject: optional(step.subject),
      body: step.body,
      avatar: optional(step.avatar),
      url: optional(step.url),
      data: parseJsonObject(step.data),
      payloadFields: step.payloadFields,
      target: step.target,
      actions: step.actions,
      expiresAfter: limit(step.expiresAfter),
    },
  }),
  EMAIL: (step) => ({
    email: { ...common(step), subject: step.subject, body: step.body, ...emailInput(step), ...sending(step) },
  }),
  SMS: (step) => ({ sms: { ...common(step), body: step.body, ...sending(step) } }),
  CHAT: (step) => ({ chat: { ...common(step), body: step.body, ...sending(step) } }),
  PUSH: (step) => ({ push: { ...common(step), subject: step.subject, body: step.body, ...sending(step) } }),
  TOOL: (step) => ({
    tool: {
      ...common(step),
      subject: optional(step.subject),
      incidentKey: optional(step.incidentKey),
      incidentAction: step.incidentAction,
      body: step.body,
      ...sending(step),
    },
  }),
  DELAY: (step) => ({ delay: { ...common(step), ...wait(step) } }),
  DIGEST: (step) => ({ digest: { ...common(step), ...wait(step), key: optional(step.key) } }),
} satisfies Record<StepType, (step: StepValues) => StepInput>

/** Returns a step as mutation input. @throws SyntaxError if its condition or data is not a JSON object. */
export const stepInput = (step: StepValues): StepInput => inputs[step.type](step)
