// The input of a trigger: what callers send.
import { z } from 'zod'
import { MAX_COMPLETED_BYTES } from '../../evaluation/json-schema.ts'
import { idText, jsonObject, type JsonObject, text } from '../../lib/validation.ts'
import { contextInput } from '../context.ts'
import { overrides } from './overrides.ts'
import { attachmentsInput } from './attachment-input.ts'
import { actor, recipients } from './recipient.ts'
import type { Step } from '../workflow-step.ts'
import type { TriggerFile } from './trigger-files.ts'

/** Maximum size of a payload, in bytes of JSON (CALLERS: Errors). */
export const MAX_PAYLOAD = MAX_COMPLETED_BYTES

/**
 * The input schema of one trigger. An unknown field is an error, because the trigger would do something else without it:
 * send at once, for example, or to more recipients.
 */
export const trigger = z.strictObject({
  /** The workflow's identifier (SPEC: trigger). */
  name: text(255, 1),
  to: recipients,
  payload: jsonObject({ maxBytes: Infinity }).nullish(),
  context: contextInput,
  transactionId: idText(255).nullish(),
  overrides: overrides.nullish(),
  attachments: attachmentsInput,
  actor,
})

/** Unsaved parts of a workflow. For absent parts, the stored ones apply. */
export interface UnsavedParts {
  readonly steps?: Step[]
  /** Null allows any payload. */
  readonly payloadSchema?: JsonObject | null
}

export type Trigger = z.output<typeof trigger> & {
  /** Only in previews: run as if the workflow had these parts and were active. */
  readonly unsaved?: UnsavedParts | undefined
  /** The stored files of `attachments`. */
  readonly files?: readonly TriggerFile[] | undefined
}
