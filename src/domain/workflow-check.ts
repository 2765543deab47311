// Checks of a workflow that require an engine or the database: its templates, their variables, its payload schema and
// the integrations that its steps select.
import { z } from 'zod'
import { integrationsByIdentifier } from '../data/integration.ts'
import type { Integration } from '../data/prisma/client.ts'
import type { StepType } from '../data/prisma/enums.ts'
import { condition, variablesOf } from '../evaluation/condition.ts'
import { jsonSchema } from '../evaluation/json-schema.ts'
import type { TemplateObjection } from '../evaluation/template.ts'
import { requestBudget } from '../evaluation/evaluator.ts'
import type { Failure } from '../evaluation/work.ts'
import { type Issue, type Path, Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { issueAt, type JsonObject, parse } from '../lib/validation.ts'
import { query, type Rate } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import {
  durationOf,
  expiresAfterOf,
  isChannelStep,
  MAX_STEPS,
  selectedIntegration,
  type Step,
  steps,
  templatesOf,
} from './workflow-step.ts'
import { maskedVariable } from './workflow-secrets.ts'
import { missingVariable, stepVariables } from './workflow-variables.ts'

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

const templatesIn = ({ steps }: Checked) =>
  (steps ?? []).flatMap((step, index) =>
    step && isChannelStep(step)
      ? templatesOf(step).map(({ path, text }) => ({ index, path: ['steps', index, ...path], text }))
      : [],
  )

/**
 * Checks the templates and the payload schema. Undefined steps are left out. Call it before a transaction, because it may
 * wait.
 *
 * @returns every invalid field.
 * @throws Refusal `RATE_LIMITED`
 */
async function issuesOf(
  { evaluator, load }: Pick<Scope, 'evaluator' | 'load'>,
  given: Checked,
): Promise<readonly Issue[]> {
  const evaluation = evaluator.begin(requestBudget)
  const issues: Issue[] = []
  const report = (path: Path, message: string, position?: TemplateObjection) => {
    const { line, column } = position ?? {}
    issues.push({ ...issueAt(path, message, valueAt(given, path)), ...(line !== undefined && { line, column }) })
  }

  const templates = templatesIn(given)
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

  const selections = (given.steps ?? []).map(async (step) => {
    const selected = step ? selectedIntegration(step) : null
    if (step === undefined || selected === null) return undefined
    return objectionToSelected(step.type, await load(integrationsByIdentifier, selected))
  })
  for (const [index, objection] of (await Promise.all(selections)).entries()) {
    if (objection !== undefined) report(['steps', index, 'integrationIdentifier'], objection)
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

/** Returns why a step cannot select an integration. */
function objectionToSelected(type: StepType, found: Pick<Integration, 'channel'> | null): string | undefined {
  if (found === null) return 'must be the identifier of an integration of the environment'
  if (found.channel === type) return undefined
  return `must be an integration of the channel ${type}, and this one is of the channel ${found.channel}`
}

const asRefusal = (issues: readonly Issue[]) =>
  new Refusal('INVALID', issues.map(({ message }) => message).join('; '), { issues })

/** Performs the same checks as `issuesOf`. @throws Refusal `INVALID` with every invalid field, or `RATE_LIMITED`. */
export async function assertWorkflow(scope: Pick<Scope, 'evaluator' | 'load'>, given: Checked): Promise<void> {
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

/** A problem of a workflow. One with a warning can be saved. */
export interface WorkflowProblem extends Issue {
  readonly level: 'error' | 'warning'
}

/** Maximum number of warnings. */
const MAX_WARNINGS = 100

/** The paths in the payload that a step names without a template or condition. */
function payloadPathsOf(step: Step | undefined): readonly { readonly path: Path; readonly names: readonly string[] }[] {
  if (step?.type === 'digest') return step.key === null ? [] : [{ path: ['key'], names: step.key.split('.') }]
  if (step?.type !== 'in_app') return []
  return (step.payloadFields ?? []).map((name, index) => ({ path: ['payloadFields', index], names: [name] }))
}

/** Finds steps whose messages have expired when their turn comes, because of the waits before them. */
function lateSteps(given: readonly (Step | undefined)[]): readonly WorkflowProblem[] {
  let waits = 0
  return given.flatMap((step, index): WorkflowProblem[] => {
    if (step?.active !== true) return []
    if ('amount' in step) waits += durationOf(step)
    const expiresAfter = expiresAfterOf(step)
    if (expiresAfter === null || durationOf(expiresAfter) > waits) return []
    const message = 'is not longer than the delays and digests before the step, so its message always expires'
    return [{ ...issueAt(['steps', index, 'expiresAfter'], message, expiresAfter), level: 'warning' }]
  })
}

/**
 * Finds variables that do not exist, in templates, conditions, keys of digests and payload fields, secret ones of which a step has
 * only the mask, and messages that always expire. They are warnings: a workflow with them can be saved, and what does not exist is
 * empty when it is executed. Code that could not be checked has none.
 */
async function warningsOf(
  { evaluator }: Pick<Scope, 'evaluator'>,
  given: Checked,
  conditions: readonly (JsonObject | undefined)[],
  stepIds: readonly string[] | undefined,
): Promise<readonly WorkflowProblem[]> {
  const known = stepIds?.map((stepId, index) => ({ stepId, isDigest: given.steps?.[index]?.type === 'digest' }))
  const variables = (given.steps ?? []).map((_step, index) =>
    stepVariables(given.payloadSchema, known?.slice(0, index)),
  )
  const templates = templatesIn(given)
  const outcomes = await evaluator.begin(requestBudget).run(
    'variables',
    templates.map(({ text }) => text),
  )
  const uses = [
    ...templates.flatMap(({ index, path }, place) => {
      const outcome = outcomes[place]
      const found = outcome?.status === 'done' ? outcome.value : []
      return found.map(({ path: variable, line, column }) => ({ index, path, variable, line, column }))
    }),
    ...conditions.flatMap((rule, index) =>
      variablesOf(rule ?? null).map((variable) => ({ index, path: ['steps', index, 'condition'], variable })),
    ),
    ...(given.steps ?? []).flatMap((step, index) =>
      payloadPathsOf(step).map(({ path, names }) => ({
        index,
        path: ['steps', index, ...path],
        variable: ['payload', ...names],
      })),
    ),
  ]
  const late = lateSteps(given.steps ?? [])
  const found = uses.flatMap(({ index, path, variable, ...position }): WorkflowProblem[] => {
    // A condition can read all variables together.
    const shape = variable[0] === '' ? undefined : variables[index]
    const step = path.at(-1) === 'condition' ? undefined : given.steps?.[index]
    const message =
      (shape && missingVariable(shape, variable)) ?? (step && maskedVariable(given.payloadSchema, step, variable))
    return message === undefined
      ? []
      : [{ ...issueAt(path, message, valueAt(given, path)), ...position, level: 'warning' }]
  })
  return [...late, ...found].slice(0, MAX_WARNINGS)
}

const conditionIn = (given: unknown): JsonObject | undefined => condition.safeParse(valueAt(given, ['condition'])).data

/**
 * Checks steps and a payload schema like `createWorkflow` and `updateWorkflow`, without writing anything.
 *
 * @returns all errors, as those mutations report them, and then warnings. The templates of a step with an invalid field
 *   are checked if its other fields can be read.
 */
export const workflowProblems = query({
  name: 'workflow.check',
  permission: 'workflow:read',
  rate: workflowRate,
  input: z.object({ steps: z.array(z.unknown()).nullish(), payloadSchema: z.unknown() }),
  async run(scope, given): Promise<readonly WorkflowProblem[]> {
    const payloadSchema = jsonSchema.safeParse(given.payloadSchema).data
    const raw = given.steps?.slice(0, MAX_STEPS) ?? []
    const readable = { steps: raw.map(readableStep), payloadSchema }
    const issues = [...parseIssues(draft, given), ...(await issuesOf(scope, readable))]
    const errors = asRefusal(issues).issues.map((issue) => ({ ...issue, level: 'error' as const }))
    const stepIds = steps.safeParse(raw).data?.map(({ stepId }) => stepId)
    return [...errors, ...(await warningsOf(scope, readable, raw.map(conditionIn), stepIds))]
  },
})
