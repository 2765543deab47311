// Checks of the code in a workflow that only the engines can make: its templates and its payload schema.
import { requestBudget } from '../evaluation/evaluator.ts'
import type { Failure } from '../evaluation/work.ts'
import { type Issue, type Path, Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { issueAt, type JsonObject } from '../lib/validation.ts'
import type { Scope } from './scope.ts'
import { isChannelStep, type Step, templatesOf } from './workflow-step.ts'

interface Checked {
  readonly steps?: readonly Step[] | null | undefined
  readonly payloadSchema?: JsonObject | null | undefined
}

/** The environment has used up its time for evaluation. */
export function evaluationLimited(what: string, pause: number): Refusal {
  const message = `${what} could not be checked: the environment has used its evaluation time. Try again in a moment.`
  return new Refusal('RATE_LIMITED', message, { retryAfter: Math.max(1, Math.ceil(pause / 1000)) })
}

const unchecked = ({ cause, message }: Failure) =>
  cause === 'time' ? 'it takes too long to check' : cause === 'memory' ? 'it needs too much memory' : message

/**
 * Checks the templates and the payload schema. Call it before a transaction, because it may wait.
 *
 * @throws Refusal `INVALID` with every invalid field, or `RATE_LIMITED`.
 */
export async function assertWorkflow({ evaluator }: Pick<Scope, 'evaluator'>, given: Checked): Promise<void> {
  const evaluation = evaluator.begin(requestBudget)
  const issues: Issue[] = []
  const report = (path: Path, message: string) => issues.push(issueAt(path, message, valueAt(given, path)))

  const templates = (given.steps ?? []).flatMap((step, index) =>
    isChannelStep(step) ? templatesOf(step).map(({ path, text }) => ({ path: ['steps', index, ...path], text })) : [],
  )
  const checks = await evaluation.run(
    'template',
    templates.map(({ text }) => text),
  )
  for (const [index, { path }] of templates.entries()) {
    const outcome = checks[index]
    if (outcome === undefined || outcome.status === 'deferred') {
      throw evaluationLimited('The workflow', evaluation.pause())
    }
    const reason = outcome.status === 'done' ? outcome.value : unchecked(outcome)
    if (reason !== undefined) report(path, `is not a valid template: ${reason}`)
  }

  if (given.payloadSchema) {
    const [outcome] = await evaluation.run('schema', [given.payloadSchema])
    if (outcome === undefined || outcome.status === 'deferred') {
      throw evaluationLimited('The payload schema', evaluation.pause())
    }
    if (outcome.status === 'failed') report(['payloadSchema'], `cannot be used: ${unchecked(outcome)}`)
    else for (const { path, message } of outcome.value) report(['payloadSchema', ...path], message)
  }
  if (issues.length > 0) throw new Refusal('INVALID', issues.map(({ message }) => message).join('; '), { issues })
}
