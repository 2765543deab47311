// Checks of a workflow that is being written, with the position of each problem.
import { workflowProblems } from '../domain/workflow-check.ts'
import type { Issue } from '../lib/errors.ts'
import { builder } from './schema/builder.ts'
import { positionFields } from './schema/mutation.ts'
import { queryView } from './schema/query.ts'
import { locateStep, readSteps, stepsField } from './workflow-step-input.ts'

const WorkflowProblem = builder.objectRef<Issue>('WorkflowProblem').implement({
  description:
    'An invalid field of a workflow. `createWorkflow` and `updateWorkflow` return the same problem as a user error.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'The problem and the allowed values, as a sentence.' }),
    field: t.stringList({
      description: 'The path of the field in the input, with list positions as numbers.',
      resolve: ({ path }) => path.map(String),
    }),
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
    'Checks the steps and the payload schema of a workflow without saving them: templates, conditions, and the order of steps. Returns all problems. Empty if there are none.',
  args: (arg) => ({ input: arg({ type: CheckWorkflowInput, required: true, description: 'The parts to check.' }) }),
  resolver: workflowProblems,
  decode: ({ input: { steps, payloadSchema } }) => ({ steps: steps && readSteps(steps), payloadSchema }),
  view: (problems, _root, { input: { steps } }) =>
    problems.map((problem) => ({ ...problem, path: locateStep(problem.path, steps) })),
})
