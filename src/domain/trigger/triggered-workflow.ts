// The workflow as an event runs it: a snapshot, which stays the same if the workflow changes later.
import { z } from 'zod'
import { priorities, type Priority } from '../../data/queue/job.ts'
import type { Event } from '../../data/prisma/client.ts'
import type { TriggerableWorkflow } from '../../data/trigger.ts'
import { workflowSnapshots } from '../../data/workflow-snapshot.ts'
import type { WorkflowVersion } from '../../data/workflow-suspension.ts'
import type { UnsubscribeScope } from '../../data/prisma/enums.ts'
import { present } from '../../lib/present.ts'
import { query } from '../resolver/resolver.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { type ChannelChoices, storedChoices } from '../channel/channel-choices.ts'
import { jsonColumn } from '../channel/stored-json.ts'
import { type Step, stepsOf } from '../workflow-step.ts'
import type { Workflow } from '../workflow.ts'

type Copied = 'id' | 'identifier' | 'name' | 'active' | 'critical' | 'severity' | 'tags'

/** A workflow as an event runs it. */
export type TriggeredWorkflow = Readonly<Pick<Workflow, Copied>> & {
  readonly channels: ChannelChoices
  /** Absent without a category, and from events of earlier versions. */
  readonly categoryId?: string
  /** As the workflow has it. Absent if it has none, and from events of earlier versions. */
  readonly unsubscribe?: UnsubscribeScope
  readonly steps: readonly Step[]
  /** The workflow's `updatedAt`, in ISO 8601. Absent from events of earlier versions. */
  readonly version?: string
  /** The workflow's `version`, a number. Absent from events of earlier versions. */
  readonly workflowVersion?: number
}

/** Returns the snapshot of a workflow. */
export function snapshotOf(
  workflow: Omit<TriggerableWorkflow, 'payloadSchema' | 'validatePayload' | 'revision'>,
): TriggeredWorkflow {
  const { id, identifier, name, active, critical, severity, tags, updatedAt, version } = workflow
  const channels = storedChoices(workflow.channels)
  const steps = stepsOf(workflow.steps)
  return {
    ...{ id, identifier, name, active, critical, severity, tags, channels, steps },
    ...present({ categoryId: workflow.categoryId, unsubscribe: workflow.unsubscribe }),
    version: updatedAt.toISOString(),
    workflowVersion: version,
  }
}

const storedWorkflow = jsonColumn<TriggeredWorkflow>()

/** Reads the workflow that an event runs. Batched. */
export const loadTriggeredWorkflow = async (
  { load }: Pick<EnvironmentScope, 'load'>,
  { snapshotHash }: Pick<Event, 'snapshotHash'>,
): Promise<TriggeredWorkflow> => storedWorkflow(await load(workflowSnapshots, snapshotHash))

/** Reads the workflow that an event runs. Batched. */
export const workflowOfEvent = query({
  name: 'event.getWorkflowSnapshot',
  permission: 'event:read',
  input: z.object({ snapshotHash: z.string() }),
  run: (scope, event) => loadTriggeredWorkflow(scope, event),
})

/** The id of the workflow if it has a digest at or after a position, otherwise null. */
export const digestAhead = ({ id, steps }: TriggeredWorkflow, position: number): string | null =>
  steps.slice(position).some(({ type }) => type === 'digest') ? id : null

/** The maximum number of subscribers in a trigger that counts as small. */
const FEW = 10

/** The priority of an event's jobs, which depends on its workflow and the number of recipients in the trigger. */
export function priorityOf(
  { critical }: TriggeredWorkflow,
  named: { readonly subscribers: number; readonly groups: number },
): Priority {
  if (critical) return priorities.critical
  return named.groups > 0 || named.subscribers > FEW ? priorities.fanOut : priorities.single
}

/** The version of the workflow that an event runs. */
export const versionOf = ({ id, version }: TriggeredWorkflow): WorkflowVersion => ({
  workflowId: id,
  version: new Date(version ?? 0),
})
