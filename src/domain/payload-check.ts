// Checks of payloads against the schemas of their workflows. Made before the transaction of the trigger.
import { type Evaluation, requestBudget } from '../evaluation/evaluator.ts'
import { explain, type Failure, type Evaluated } from '../evaluation/work.ts'
import { type Issue, Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { issueAt, type JsonObject } from '../lib/validation.ts'
import type { Scope } from './scope.ts'
import { asObject } from './stored-json.ts'
import { evaluationLimited } from './workflow-check.ts'
import type { Workflow } from './workflow.ts'

/** A trigger that names a workflow and has a payload. */
interface Triggering {
  /** Identifier or id of the workflow. */
  readonly name: string
  readonly payload?: JsonObject | null | undefined
}

type Check = Evaluated<readonly Issue[]>

/** The checks that were made before the transaction of a request. */
export interface PayloadChecks {
  /** Returns the check of a trigger, or makes it: the workflow may have changed since. */
  readonly of: (workflow: Workflow, given: Triggering) => Promise<Check>
}

const nothing: Check = { status: 'done', value: [] }

/** Validates one payload. A schema that was stopped in this request is not evaluated again. */
async function checkOne(
  evaluation: Evaluation,
  stopped: Map<string, Failure>,
  { id, payloadSchema }: Workflow,
  payload: JsonObject,
): Promise<Check> {
  if (payloadSchema === null) return nothing
  const known = stopped.get(id)
  if (known) return known
  const [check = nothing] = await evaluation.run('validation', [{ schema: asObject(payloadSchema), value: payload }])
  if (check.status === 'failed' && check.cause !== 'error') stopped.set(id, check)
  return check
}

const isUuid = (name: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)

/** Validates the payloads of triggers. All of them share one budget. */
export async function checkPayloads(scope: Scope, triggers: readonly Triggering[]): Promise<PayloadChecks> {
  const { db, environmentId, evaluator } = scope
  const evaluation = evaluator.begin(requestBudget)
  const stopped = new Map<string, Failure>()
  const names = [...new Set(triggers.map(({ name }) => name))]
  const workflows = await db.workflow.findMany({
    where: { environmentId, OR: [{ identifier: { in: names } }, { id: { in: names.filter(isUuid) } }] },
  })
  const made = new Map<Triggering, { readonly workflow: Workflow; readonly check: Check }>()
  for (const given of triggers) {
    const workflow = workflows.find(({ id, identifier }) => id === given.name || identifier === given.name)
    if (workflow === undefined) continue
    made.set(given, { workflow, check: await checkOne(evaluation, stopped, workflow, given.payload ?? {}) })
  }
  return {
    async of(workflow, given) {
      const found = made.get(given)
      const isCurrent =
        found?.workflow.id === workflow.id && found.workflow.updatedAt.getTime() === workflow.updatedAt.getTime()
      return found && isCurrent ? found.check : checkOne(evaluation, stopped, workflow, given.payload ?? {})
    },
  }
}

/** @throws Refusal `MALFORMED` with every field of the payload that violates the schema (CALLERS: Errors). */
export async function assertPayload(workflow: Workflow, given: Triggering, checks: PayloadChecks): Promise<void> {
  const check = await checks.of(workflow, given)
  if (check.status === 'deferred') throw evaluationLimited('payload', 0)
  const payload = given.payload ?? {}
  const issues =
    check.status === 'failed'
      ? [issueAt(['payload'], `cannot be checked: ${explain('The validation', check)}`, payload)]
      : check.value.map(({ path, message }) => issueAt(['payload', ...path], message, valueAt(payload, path)))
  if (issues.length > 0) {
    throw new Refusal('MALFORMED', issues.map(({ message }) => message).join('; '), { issues })
  }
}
