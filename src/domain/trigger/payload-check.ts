// Checks payloads against the schemas of their workflows, and adds the defaults of these schemas.
import { findNamed, type TriggerableWorkflow } from '../../data/trigger.ts'
import { type Evaluation, requestBudget } from '../../evaluation/evaluator.ts'
import type { Validated } from '../../evaluation/json-schema.ts'
import { explain, type Failure, type Evaluated } from '../../evaluation/work.ts'
import { Refusal } from '../../lib/errors.ts'
import { secretFieldsOf } from '../../evaluation/secret-fields.ts'
import { valueAt } from '../../lib/paths.ts'
import { issueAt, type JsonObject } from '../../lib/validation.ts'
import type { Scope } from '../resolver/scope.ts'
import { asObject } from '../channel/stored-json.ts'
import { maskedPayload } from './secret-payload.ts'
import type { Trigger } from './trigger-input.ts'
import { evaluationLimited } from '../workflow-check.ts'

/** A trigger that names a workflow, by its identifier or id, and has a payload. */
type Triggering = Pick<Trigger, 'name' | 'payload' | 'unsaved'>

type Check = Evaluated<Validated>

/** The checks of all payloads in a request. */
export interface PayloadChecks {
  /** Checks a trigger. Called again, it checks only if the workflow has changed. */
  readonly of: (workflow: TriggerableWorkflow, given: Triggering) => Promise<Check>
}

const nothing: Check = { status: 'done', value: { violations: [] } }

/** Validates one payload. A schema that was stopped in this request is not evaluated again. */
async function checkOne(
  evaluation: Evaluation,
  stopped: Map<string, Failure>,
  { id, payloadSchema, validatePayload }: TriggerableWorkflow,
  payload: JsonObject,
): Promise<Check> {
  if (payloadSchema === null || !validatePayload) return nothing
  const known = stopped.get(id)
  if (known) return known
  const [check = nothing] = await evaluation.run('validation', [{ schema: asObject(payloadSchema), value: payload }])
  if (check.status === 'failed' && check.cause !== 'error') stopped.set(id, check)
  return check
}

/** The workflow of a trigger, with the unsaved parts that replace stored ones. */
export function workflowNamed(
  workflows: readonly TriggerableWorkflow[],
  { name, unsaved }: Triggering,
): TriggerableWorkflow | undefined {
  const stored = workflows.find(({ id, identifier }) => identifier === name || id === name.toLowerCase())
  return stored && unsaved ? { ...stored, ...unsaved, active: true } : stored
}

/** Creates the checks of a request's payloads. All of them share one budget. */
export function openPayloadChecks({ evaluator }: Pick<Scope, 'evaluator'>): PayloadChecks {
  const evaluation = evaluator.begin(requestBudget)
  const stopped = new Map<string, Failure>()
  const made = new Map<Triggering, { readonly workflow: TriggerableWorkflow; readonly check: Promise<Check> }>()
  return {
    of(workflow, given) {
      const known = made.get(given)
      if (known?.workflow.id === workflow.id && known.workflow.revision === workflow.revision) return known.check
      const check = checkOne(evaluation, stopped, workflow, given.payload ?? {})
      made.set(given, { workflow, check })
      return check
    },
  }
}

/** Checks the payloads of triggers before a transaction, because the transaction would have to wait for it. */
export async function checkPayloads(scope: Scope, given: readonly Triggering[]): Promise<PayloadChecks> {
  const checks = openPayloadChecks(scope)
  const names = [...new Set(given.map(({ name }) => name))]
  const { workflows } = await findNamed(scope, { workflows: names, topicKeys: [], transactionIds: [] })
  for (const one of given) {
    const workflow = workflowNamed(workflows, one)
    if (workflow !== undefined) await checks.of(workflow, one)
  }
  return checks
}

/**
 * Returns the payload of the event: the given one, with the defaults of the workflow's schema.
 *
 * @throws Refusal `MALFORMED` with every field of the payload that violates the schema (CALLERS: Errors).
 */
export async function checkedPayload(
  workflow: TriggerableWorkflow,
  given: Triggering,
  checks: PayloadChecks,
): Promise<JsonObject> {
  const check = await checks.of(workflow, given)
  if (check.status === 'deferred') throw evaluationLimited('payload', 0)
  const payload = given.payload ?? {}
  if (check.status === 'failed' || check.value.violations.length > 0) {
    const { payloadSchema } = workflow
    const shown = maskedPayload(payload, secretFieldsOf(payloadSchema === null ? undefined : asObject(payloadSchema)))
    const issues =
      check.status === 'failed'
        ? [issueAt(['payload'], `cannot be checked: ${explain('The validation', check)}`, shown)]
        : check.value.violations.map(({ path, message }) =>
            issueAt(['payload', ...path], message, valueAt(shown, path)),
          )
    throw new Refusal('MALFORMED', issues.map(({ message }) => message).join('; '), { issues })
  }
  const { completed = payload } = check.value
  // Defaults are added to objects, and a payload is one.
  return typeof completed === 'object' && completed !== null && !Array.isArray(completed) ? completed : payload
}
