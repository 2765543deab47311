// Finds the places of a workflow where a secret payload field has a mask instead of its value.
import { type SecretFields, secretFieldsOf } from '../evaluation/secret-fields.ts'
import type { JsonObject } from '../lib/validation.ts'
import type { Step } from './workflow-step.ts'

const isItem = (part: string) => /^-?\d+$/.test(part) || part === 'first' || part === 'last'

/** True if a path in a payload leads to a secret field, into one, or to a value with secret parts. */
function isSecretAt(fields: SecretFields | undefined, path: readonly string[]): boolean {
  if (fields === undefined) return false
  const [part, ...rest] = path
  if (fields.isSecret || part === undefined) return true
  return isSecretAt(fields.properties.get(part) ?? (isItem(part) ? fields.items : undefined), rest)
}

/** The payload of a trigger that a digest has collected, in the path of a variable. */
function collected(path: readonly string[]): readonly string[] | undefined {
  // In `digest`, or in the step of the digest.
  const [events, , payload, ...field] = path.slice(path[0] === 'steps' ? 2 : 1)
  const isOfDigest = path[0] === 'steps' || path[0] === 'digest'
  return isOfDigest && events === 'events' && payload === 'payload' ? field : undefined
}

/** Returns why a step has a mask instead of a variable's value, as a sentence without its subject. Undefined if it has the value. */
export function maskedVariable(
  payloadSchema: JsonObject | null | undefined,
  step: Step,
  path: readonly string[],
): string | undefined {
  const fields = secretFieldsOf(payloadSchema ?? undefined)
  const name = path.join('.')
  const isOwn = path[0] === 'payload' && isSecretAt(fields, path.slice(1))
  if (isOwn && step.type === 'in_app') return `uses ${name}, which is secret: notifications have a mask in its place`
  if (isOwn && step.type === 'digest') return `uses ${name}, which is secret: it has the same mask in all triggers`
  const ofOthers = collected(path)
  if (ofOthers === undefined || !isSecretAt(fields, ofOthers)) return undefined
  return `uses ${name}, which is secret: triggers in a digest have a mask in its place`
}
