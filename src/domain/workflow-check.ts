// Checks of the code in a workflow that require an engine: its templates and its payload schema.
import { z } from 'zod'
import { jsonSchema } from '../evaluation/json-schema.ts'
import type { TemplateObjection } from '../evaluation/template.ts'
import { requestBudget } from '../evaluation/evaluator.ts'
import type { Failure } from '../evaluation/work.ts'
import { type Issue, type Path, Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { issueAt, type JsonObject, parse } from '../lib/validation.ts'
import { query, type Rate } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { isChannelStep, MAX_STEPS, type Step, steps, templatesOf } from './workflow-step.ts'

/** The budget for checking a workflow's code when it is written. */
export const workflowRate: Rate = { category: 'configuration', cost: 1, largeCost: 100 }

interface Checked {
  readonly steps?: readonly (Step | undefined)[] | null | undefined
  readonly payloadSchema?: JsonObject | null | undefined
}

/** The environment has used up its evaluation time. */
export function evaluationLimited(what: string, pause: number): Refusal {
  const message = `${what} could not be checked: the environment has used its evaluation time. Try again in a moment.`
  return new Refusal('RATE_LIMITED', message, { retryAfter: Math.max(1, Math.ceil(pause / 1000)) })
}

const unchecked = ({ cause, message }: Failure) =>
  cause === 'time' ? 'it takes too long to check' : cause === 'memory' ? 'it needs too much memory' : message

/**
 * Checks the templates and the payload schema. Undefined steps are left out. Call it before a transaction, because it may
 * wait.
 *
 * @returns every invalid field.
 * @throws Refusal `RATE_LIMITED`
 */
async function issuesOf({ evaluator }: Pick<Scope, 'evaluator'>, given: Checked): Promise<readonly Issue[]> {
  const evaluation = evaluator.begin(requestBudget)
  const issues: Issue[] = []
  const report = (path: Path, message: string, position?: TemplateObjection) => {
    const { line, column } = position ?? {}
    issues.push({ ...issueAt(path, message, valueAt(given, path)), ...(line !== undefined && { line, column }) })
  }

  const templates = (given.steps ?? []).flatMap((step, index) =>
    step && isChannelStep(step)
      ? templatesOf(step).map(({ path, text }) => ({ path: ['steps', index, ...path], text }))
      : [],
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
    const found = outcome.status === 'done' ? outcome.value : { message: unchecked(outcome) }
    if (found !== undefined) report(path, `is not a valid template: ${found.message}`, found)
  }

  if (given.payloadSchema) {
    const [outcome] = await evaluation.run('schema', [given.payloadSchema])
    if (outcome === undefined || outcome.status === 'deferred') {
      throw evaluationLimited('The payload schema', evaluation.pause())
    }
    if (outcome.status === 'failed') report(['payloadSchema'], `cannot be used: ${unchecked(outcome)}`)
    else for (const { path, message } of outcome.value) report(['payloadSchema', ...path], message)
  }
  return issues
}

const asRefusal = (issues: readonly Issue[]) =>
  new Refusal('INVALID', issues.map(({ message }) => message).join('; '), { issues })

/** Performs the same checks as `issuesOf`. @throws Refusal `INVALID` with every invalid field, or `RATE_LIMITED`. */
export async function assertWorkflow(scope: Pick<Scope, 'evaluator'>, given: Checked): Promise<void> {
  const issues = await issuesOf(scope, given)
  if (issues.length > 0) throw asRefusal(issues)
}

/** The issues that `parse` reports. */
function parseIssues(schema: z.ZodType, given: unknown): readonly Issue[] {
  try {
    parse(schema, given)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.issues
  }
}

/** A step whose templates can be checked, whatever its condition is. */
const readableStep = (given: unknown): Step | undefined =>
  steps.safeParse([typeof given === 'object' ? { ...given, condition: null } : given]).data?.[0]

const draft = z.object({ steps: steps.nullish(), payloadSchema: jsonSchema.nullish() })

/**
 * Checks steps and a payload schema like `createWorkflow` and `updateWorkflow`, without writing anything.
 *
 * @returns all problems, as those mutations report them. The templates of a step with an invalid field are checked if
 *   its other fields can be read.
 */
export const workflowProblems = query({
  name: 'workflow.check',
  permission: 'workflow:read',
  rate: workflowRate,
  input: z.object({ steps: z.array(z.unknown()).nullish(), payloadSchema: z.unknown() }),
  async run(scope, given): Promise<readonly Issue[]> {
    const payloadSchema = jsonSchema.safeParse(given.payloadSchema).data
    const readable = { steps: given.steps?.slice(0, MAX_STEPS).map(readableStep), payloadSchema }
    const issues = [...parseIssues(draft, given), ...(await issuesOf(scope, readable))]
    return asRefusal(issues).issues
  },
})
