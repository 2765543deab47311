// Workflow steps as input, with one field for each step type. The output types are in workflow-step.ts.
import { StepType } from '../data/prisma/enums.ts'
import { MAX_STEPS } from '../domain/workflow-step.ts'
import type { Issue } from '../lib/errors.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { stepDescriptions, stepInput } from './workflow-step.ts'

const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())

const members = Object.values(StepType).map((type) => ({ type, member: camelCase(type), input: stepInput(type) }))

const WorkflowStepInput = builder.inputType('WorkflowStepInput', {
  description:
    'One step. Set exactly one field; it determines the step type. `WorkflowStep` describes the variables of templates and conditions.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      members.map(({ type, member, input }) => [member, t.field({ type: input, description: stepDescriptions[type] })]),
    ),
})

type Given = typeof WorkflowStepInput.$inferInput

/** The `steps` field of the workflow inputs. @param effect how it affects the steps of the workflow, in sentences. */
export const stepsField = (t: InputFields, effect = 'Replaces all steps. Default for a new workflow: none.') =>
  t.field({ type: [WorkflowStepInput], description: `At most ${MAX_STEPS} steps, in order of execution. ${effect}` })

const memberOf = (step: Given | undefined) => members.find(({ member }) => step?.[member])

/** Converts steps to the domain's input, with the type as a field of each step. */
export function readSteps(steps: readonly Given[]): Record<string, unknown>[] {
  return steps.map((step) => {
    const found = memberOf(step)
    return found ? { ...step[found.member], type: found.type } : {}
  })
}

/** Converts a path in the domain's input to the mutation's: `steps.0.body` to `steps.0.<member>.body`. */
export function locateStep(path: Issue['path'], steps: readonly Given[] | null | undefined): Issue['path'] {
  const [root, position, ...rest] = path
  if (root !== 'steps' || typeof position !== 'number' || rest.length === 0) return path
  return [root, position, memberOf(steps?.[position])?.member ?? '', ...rest]
}
