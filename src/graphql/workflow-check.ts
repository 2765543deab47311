// Checks of a workflow that is being written, with the position of each problem.
import { type WorkflowProblem as Problem, workflowProblems } from '../domain/workflow-check.ts'
import { builder } from './schema/builder.ts'
import { positionFields } from './schema/mutation.ts'
import { queryView } from './schema/query.ts'
import { locateStep, readSteps, stepsField } from './workflow-step-input.ts'

const WorkflowProblemLevel = builder.enumType('WorkflowProblemLevel', {
  description: 'The effect of a problem on a workflow.',
  values: {
    ERROR: {
      value: 'error',
      description:
        'The field is invalid. `createWorkflow` and `updateWorkflow` return the same problem as a user error.',
    },
    WARNING: {
      value: 'warning',
      description: 'The workflow can be saved, but it probably has a mistake, such as a variable that does not exist.',
    },
  } as const satisfies { [Level in Problem['level'] as Uppercase<Level>]: { value: Level; description: string } },
})

const WorkflowProblem = builder.objectRef<Problem>('WorkflowProblem').implement({
  description: 'A problem of a workflow: an invalid field, or a probable mistake.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'The problem and the allowed values, as a sentence.' }),
    field: t.stringList({
      description: 'The path of the field in the input, with list positions as numbers.',
      resolve: ({ path }) => path.map(String),
    }),
    level: t.expose('level', { type: WorkflowProblemLevel, description: 'The effect of the problem.' }),
    ...positionFields(t),
  }),
})

const CheckWorkflowInput = builder.inputType('CheckWorkflowInput', {
  description: 'The parts of a workflow to check.',
  fields: (t) => ({
    steps: stepsField(t),
    payloadSchema: t.field({ type: 'JSONObject', description: 'The JSON Schema for payloads of triggers.' }),
  }),
})

queryView('checkWorkflow', {
  type: [WorkflowProblem],
  description:
    'Checks the steps and the payload schema of a workflow without saving them: templates, conditions, and the order of steps. Returns all errors, and then a warning for each variable that does not exist: one that no step has, or that the payload schema does not allow. If the schema allows other properties, only variables that are similar to one of its properties count. Empty if there are none.',
  args: (arg) => ({ input: arg({ type: CheckWorkflowInput, required: true, description: 'The parts to check.' }) }),
  resolver: workflowProblems,
  decode: ({ input: { steps, payloadSchema } }) => ({ steps: steps && readSteps(steps), payloadSchema }),
  view: (problems, _root, { input: { steps } }) =>
    problems.map((problem) => ({ ...problem, path: locateStep(problem.path, steps) })),
})
