// The control values of steps in the client's words, and the fields of our steps, in both directions.
import { z } from 'zod'
import { linkTargets } from '../../../../domain/channel/channel.ts'
import { durationUnits, extendsToSchedule, type Step, type StepOf } from '../../../../domain/workflow-step.ts'
import { present } from '../../../../lib/present.ts'
import type { JsonObject } from '../../../../lib/validation.ts'
import { unsupported } from './unsupported.ts'

const template = z.string()
/** Editors of the client store an empty text where there is none. */
const orNone = (value: string | null | undefined) => (value === '' ? null : value)
const optional = z.string().nullish().transform(orNone)

const onlyFalse = (reason: string) => z.literal(false, { error: `is not supported: ${reason}` }).optional()

const redirect = z
  .strictObject({ url: z.string(), target: z.enum(linkTargets).nullish() })
  .nullish()
  .transform((given) => (given?.url ? given : null))

/** An action as the client's editor stores it where there is none. */
const noAction = z.object({ label: z.literal('').optional(), redirect: z.object({ url: z.literal('') }).optional() })

const action = z.preprocess(
  (given) => (noAction.safeParse(given).success ? null : given),
  z
    .strictObject({
      label: z.string().min(1),
      redirect: z.strictObject(
        { url: z.string().min(1), target: z.enum(linkTargets).nullish() },
        { error: 'is required: a button is a link' },
      ),
    })
    .nullish(),
)

const common = {
  skip: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'JSON Logic. Despite its name, the step is executed if it is true.' }),
}

const wait = {
  amount: z.number({ error: 'is required: a number' }),
  unit: z.enum(durationUnits, { error: `must be one of ${durationUnits.join(', ')}` }),
  cron: unsupported('a wait has an amount and a unit'),
  extendToSchedule: z
    .boolean()
    .optional()
    .meta({ description: 'True prolongs the wait to the next open hour of the schedule.' }),
}
const regular = z.literal('regular', { error: 'must be regular: waits until a time are not supported' }).nullish()

/** A body of the client's block editor, which is no HTML. */
function isEditorDocument(body: string): boolean {
  if (!body.trimStart().startsWith('{')) return false
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed && parsed.type === 'doc'
  } catch {
    return false
  }
}

/** The control values of each type of step. */
export const controlValues = {
  in_app: z.strictObject({
    ...common,
    subject: optional,
    body: template.optional(),
    avatar: optional,
    primaryAction: action,
    secondaryAction: action,
    redirect,
    data: z.record(z.string(), z.unknown()).nullish(),
    disableOutputSanitization: onlyFalse('texts are shown as they are'),
  }),
  email: z.strictObject({
    ...common,
    subject: template.optional(),
    body: template
      .refine((body) => !isEditorDocument(body), 'must be HTML: documents of the block editor are not supported')
      .optional(),
    editorType: z.enum(['html', 'block']).nullish(),
    layoutId: unsupported('the gateway has no layouts'),
    from: z
      .strictObject({ email: optional, name: optional })
      .nullish()
      .transform((given) => ({ email: given?.email, name: given?.name })),
    replyTo: optional,
    preheader: optional,
    useProviderDefaults: onlyFalse('without `from`, emails have the sender of their integration'),
    disableOutputSanitization: onlyFalse('values are escaped in HTML'),
  }),
  sms: z.strictObject({ ...common, body: template.optional() }),
  chat: z.strictObject({
    ...common,
    body: template.optional(),
    editorType: z.literal('text', { error: 'must be text: cards are not supported' }).nullish(),
  }),
  push: z.strictObject({ ...common, subject: template.optional(), body: template.optional() }),
  tool: z.strictObject({ ...common, body: template.optional() }),
  delay: z.strictObject({ ...common, type: regular, ...wait }),
  digest: z.strictObject({
    ...common,
    type: regular,
    ...wait,
    lookBackWindow: unsupported('a digest begins with its first trigger'),
    digestKey: z
      .string()
      .regex(/^(payload\..+)?$/s, 'must be a path in the payload, such as payload.order.id')
      .nullish()
      .transform(orNone),
  }),
} satisfies { [Type in Step['type']]: z.ZodType }

type Controls = { [Type in Step['type']]: z.output<(typeof controlValues)[Type]> }

const actionFrom = (given: Controls['in_app']['primaryAction']) =>
  given ? [{ label: given.label, url: given.redirect.url, target: given.redirect.target }] : []

const joined = (addresses: readonly string[] | undefined) => addresses?.join(', ')

/** An address of the step stays a list, if the text is the one of the list. */
const repliesFrom = (given: string | null | undefined, stored: readonly string[] | undefined) =>
  given ? (given === joined(stored) ? stored : [given]) : []

/** A step with its control values. */
type GivenControls = {
  [Type in keyof Controls]: { readonly type: Type; readonly controlValues: Controls[Type] }
}[keyof Controls]

/**
 * Returns the fields of a step that come from its control values. Undefined ones have no value.
 *
 * @param stored the step as it is stored, if it is.
 */
export function fieldsFrom(step: GivenControls, stored: Step | undefined): object {
  switch (step.type) {
    case 'in_app': {
      const { subject, body, avatar, primaryAction, secondaryAction, redirect, data } = step.controlValues
      const actions = [...actionFrom(primaryAction), ...actionFrom(secondaryAction)]
      return { subject, body, avatar, data, url: redirect?.url, target: redirect?.target, actions }
    }
    case 'email': {
      const { subject, body, preheader, from, replyTo } = step.controlValues
      const replies = repliesFrom(replyTo, stored?.type === 'email' ? stored.replyTo : undefined)
      return { subject, body, preheader, from: from.email, senderName: from.name, replyTo: replies }
    }
    case 'push': {
      const { subject, body } = step.controlValues
      return { subject, body }
    }
    case 'sms':
    case 'chat':
    case 'tool':
      return { body: step.controlValues.body }
    case 'delay': {
      const { amount, unit, extendToSchedule } = step.controlValues
      // The client cannot send it, so that it keeps its value.
      return { amount, unit, ...present({ extendToSchedule }) }
    }
    case 'digest': {
      const { amount, unit, digestKey, extendToSchedule } = step.controlValues
      return { amount, unit, key: digestKey?.slice('payload.'.length), ...present({ extendToSchedule }) }
    }
  }
}

const redirectOf = (url: string | null | undefined, target: string | null | undefined) =>
  url ? { url, ...present({ target }) } : undefined

function actionOf(given: StepOf<'in_app'>['actions'][number] | undefined) {
  return given && { label: given.label, redirect: redirectOf(given.url, given.target) }
}

const waitOf = (step: StepOf<'delay' | 'digest'>) => ({
  ...{ type: 'regular', amount: step.amount, unit: step.unit },
  ...(extendsToSchedule(step) && { extendToSchedule: true }),
})

const hasFields = (object: object) => Object.keys(object).length > 0

/** Control values without `skip`. */
function ownControlsOf(step: Step): object {
  switch (step.type) {
    case 'in_app': {
      const { subject, body, avatar, url, target, actions, data } = step
      const [primaryAction, secondaryAction] = actions.map(actionOf)
      return present({
        ...{ subject, body, avatar, primaryAction, secondaryAction },
        redirect: redirectOf(url, target),
        data: hasFields(data) ? data : undefined,
      })
    }
    case 'email': {
      const { subject, body, from: email, senderName: name, replyTo, preheader } = step
      const from = present({ email, name })
      return present({
        ...{ subject, body, preheader },
        editorType: 'html',
        from: hasFields(from) ? from : undefined,
        replyTo: joined(replyTo) || undefined,
      })
    }
    case 'push':
      return { subject: step.subject, body: step.body }
    case 'sms':
    case 'tool':
      return { body: step.body }
    case 'chat':
      return { body: step.body, editorType: 'text' }
    case 'delay':
      return waitOf(step)
    case 'digest':
      return { ...waitOf(step), ...present({ digestKey: step.key && `payload.${step.key}` }) }
  }
}

/** Returns the control values of a step. Fields that the client has no words for are left out. */
export const controlsOf = (step: Step): JsonObject => ({
  ...ownControlsOf(step),
  ...present({ skip: step.condition }),
})
