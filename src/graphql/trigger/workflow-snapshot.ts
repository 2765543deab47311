// The workflow as an event runs it, also after it was changed or deleted.
import { type TriggeredWorkflow, workflowOfEvent } from '../../domain/trigger/triggered-workflow.ts'
import { categoryOf, unsubscribeOf } from '../../domain/workflow.ts'
import { Category } from '../category.ts'
import { builder } from '../schema/builder.ts'
import { edge } from '../schema/query.ts'
import { Severity, UnsubscribeScope } from '../workflow.ts'
import { WorkflowStep } from '../workflow-step.ts'
import { Event } from './event.ts'

const WorkflowSnapshot = builder.objectRef<TriggeredWorkflow>('WorkflowSnapshot').implement({
  description: 'A version of a workflow, as events run it.',
  fields: (t) => ({
    version: t.int({
      nullable: true,
      description:
        'The `version` of the workflow at the time of the trigger. Null for events of earlier versions of the gateway.',
      resolve: ({ workflowVersion }) => workflowVersion ?? null,
    }),
    name: t.exposeString('name', { description: 'The display name.' }),
    critical: t.exposeBoolean('critical', { description: 'True if preferences do not apply.' }),
    severity: t.expose('severity', { type: Severity, description: 'The severity of the notifications.' }),
    tags: t.exposeStringList('tags', { description: 'The tags, by which preferences can select several workflows.' }),
    steps: t.expose('steps', { type: t.listRef(WorkflowStep), description: 'The steps, in order of execution.' }),
    category: edge(t, {
      type: Category,
      nullable: true,
      description: 'The category. Null if there was none, and if it was deleted.',
      resolver: categoryOf,
      decode: ({ categoryId }) => (categoryId === undefined ? null : { categoryId }),
    }),
    unsubscribe: t.field({
      type: UnsubscribeScope,
      description: 'What the unsubscribe links of its emails turn off.',
      resolve: unsubscribeOf,
    }),
  }),
})

builder.objectField(Event, 'workflowSnapshot', (t) =>
  edge(t, {
    description:
      'The workflow as the event runs it: its version and texts at the time of the trigger, also after it was changed or deleted.',
    type: WorkflowSnapshot,
    resolver: workflowOfEvent,
    decode: ({ snapshotHash }) => ({ snapshotHash }),
  }),
)
