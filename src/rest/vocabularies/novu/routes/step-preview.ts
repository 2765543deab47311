// The preview of one step of a workflow, with examples of a subscriber, a payload and contexts.
import { z } from 'zod'
import { asObject } from '../../../../domain/channel/stored-json.ts'
import { actionsOf, linkTargetOf } from '../../../../domain/notification.ts'
import { profile } from '../../../../domain/subscriber.ts'
import type { Step } from '../../../../domain/workflow-step.ts'
import { type Preview, previewTrigger, type PreviewedStep } from '../../../../engine/preview.ts'
import type { Path } from '../../../../lib/errors.ts'
import { present } from '../../../../lib/present.ts'
import { type JsonObject, parse } from '../../../../lib/validation.ts'
import { route } from '../../../route.ts'
import { controlsOf } from '../words/controls.ts'
import { prefix } from '../words/prefix.ts'
import { controlPath, stepInWords, stepsFrom } from '../words/step.ts'
import { byStep, stepAt, workflowAt } from './workflow.ts'

/** The subscriber of a preview that names none. It exists during the preview only. */
const example = {
  subscriberId: 'preview-of-a-step',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+442071234567',
}

const anyObject = z.record(z.string(), z.unknown())
const noneOf = (reason: string) => z.strictObject({}, { error: `is not supported: ${reason}` }).nullish()

/** Other fields of subscribers that were read are of no use to templates. */
const subscriber = z.object({ ...profile.shape, subscriberId: z.string().optional() }).optional()

const previewPayload = z.strictObject({
  subscriber: subscriber.meta({ description: 'An example of a subscriber, which is not stored.' }),
  actor: subscriber,
  payload: previewTrigger.definition.input.shape.payload,
  context: previewTrigger.definition.input.shape.context,
  steps: noneOf('a step is previewed without the steps before it'),
  env: noneOf('the gateway has no environment variables'),
})

type PreviewPayload = z.output<typeof previewPayload>

const subscriberOf = ({ subscriber }: PreviewPayload = {}) => ({ ...example, ...present(subscriber) })

const error = z.object({ title: z.string(), message: z.string(), hint: z.string() })

/** Returns the step to preview, for the input of the resolver. @param given control values in place of its own. */
function changedStep(stored: Step, given: Readonly<Record<string, unknown>> | undefined): object {
  if (given === undefined) return stored
  const { stepId, type } = stored
  return { ...stepsFrom([parse(stepInWords, { stepId, name: stepId, type, controlValues: given })], [stored])[0] }
}

/** Names of fields of the trigger, in the caller's words. */
function previewPath(path: Path): Path {
  const [field = '', ...rest] = path
  if (field === 'steps') return controlPath(rest.slice(1))
  if (field === 'to') return ['previewPayload', 'subscriber', ...rest]
  return ['actor', 'payload', 'context'].some((name) => name === field) ? ['previewPayload', ...path] : path
}

/** What a step would show. Undefined if it would not be executed. */
function contentOf(step: Step, { notification, deliveries: [message] }: PreviewedStep): JsonObject | undefined {
  if (step.type === 'delay' || step.type === 'digest') return controlsOf(step)
  if (step.type === 'in_app') {
    if (notification === null) return undefined
    const { subject, body, avatar, url, data } = notification
    const actions = actionsOf(notification).map((action) => ({ ...action, target: linkTargetOf(action) }))
    const shown = { subject, body, avatar, url, actions, target: linkTargetOf(notification), data: asObject(data) }
    return controlsOf({ ...step, ...shown })
  }
  if (message === undefined) return undefined
  const { subject, body } = message.content
  return present({ subject, body })
}

/** The result, or why there is none: the step would not send, or its templates are wrong. */
function resultOf(step: Step, { runs: [run], detail, errors }: Preview) {
  const previewed = run?.steps[0]
  const preview = previewed && contentOf(step, previewed)
  if (preview !== undefined) return { type: step.type, preview }
  const message = previewed?.detail ?? detail ?? errors.join(' ')
  const title = previewed?.status === 'failed' ? 'The step would fail' : 'The step would be skipped'
  return { type: step.type, preview: {}, error: { title, message, hint: 'See docs/moving.md' } }
}

export const novuStepPreviewRoutes = [
  route({
    method: 'post',
    path: `${prefix}/v2/workflows/{workflowId}/step/{stepId}/preview`,
    summary: 'Preview a step of a workflow, without its condition and the steps before it',
    example: { previewPayload: { subscriber: { firstName: 'Ada' }, payload: { plan: 'pro' } } },
    params: byStep,
    body: z.strictObject({
      controlValues: anyObject.optional().meta({ description: 'Control values in place of those of the step.' }),
      previewPayload: previewPayload.optional(),
    }),
    resolver: previewTrigger,
    async input({ params, body }, scope) {
      const row = await workflowAt(scope, params.workflowId)
      const { actor, payload, context } = body.previewPayload ?? {}
      const step = changedStep(stepAt(row, params.stepId), body.controlValues)
      return {
        name: row.identifier,
        to: subscriberOf(body.previewPayload),
        actor: actor && { ...present(actor), subscriberId: actor.subscriberId ?? 'preview-of-an-actor' },
        ...{ payload, context },
        payloadSchema: null,
        steps: [{ ...step, condition: null, active: true }],
      }
    },
    nameOf: previewPath,
    statuses: [201],
    response: z.object({
      previewPayloadExample: anyObject.meta({ description: 'The examples that the preview has used.' }),
      result: z.object({
        type: z.string(),
        preview: anyObject.meta({ description: 'The rendered control values. Empty with an error.' }),
        error: error.optional().meta({ description: 'Why the step would not show anything.' }),
      }),
    }),
    async view(preview, scope, { params, body }) {
      const { subscriberId: _, ...shown } = subscriberOf(body.previewPayload)
      const row = await workflowAt(scope, params.workflowId)
      const step = stepAt(row, params.stepId)
      const { payload, context } = body.previewPayload ?? {}
      return {
        previewPayloadExample: { subscriber: shown, payload: payload ?? {}, ...present({ context }) },
        result: resultOf(step, preview),
      }
    },
  }),
]
