// The current workflow for events that were triggered with an earlier version of it.
import { newSnapshot, storeSnapshots } from '../../data/workflow-snapshot.ts'
import { workflowsById } from '../../data/workflow.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import type { Step } from '../workflow-step.ts'
import { loadTriggeredWorkflow, snapshotOf, type TriggeredWorkflow } from './triggered-workflow.ts'

/** Which version of the workflow a retry executes. */
export const workflowVersions = ['triggered', 'current'] as const
export type RetriedVersion = (typeof workflowVersions)[number]

/** Why there is no current workflow, as the end of a sentence about it. */
export type NoVersion = 'was deleted' | 'is not active'

/** A workflow that a retry executes. */
export interface VersionedWorkflow {
  readonly workflow: TriggeredWorkflow
  /** The hash of its snapshot. Null for the workflow of the event. */
  readonly storedHash: string | null
}

/**
 * Returns a workflow with its steps as they are now. The order stays, because the steps of a run have positions in it: a step
 * is the same if it has the same `stepId` and type. Added steps are left out, and removed ones are inactive.
 */
function updated({ steps }: TriggeredWorkflow, current: TriggeredWorkflow): TriggeredWorkflow {
  const byId = new Map(current.steps.map((step) => [step.stepId, step]))
  const updatedStep = (step: Step): Step => {
    const now = byId.get(step.stepId)
    return now?.type === step.type ? now : { ...step, active: false }
  }
  return { ...current, steps: steps.map(updatedStep) }
}

async function versionOf(
  scope: EnvironmentScope,
  event: { readonly snapshotHash: string },
  version: RetriedVersion,
): Promise<VersionedWorkflow | NoVersion> {
  const triggered = await loadTriggeredWorkflow(scope, event)
  if (version === 'triggered') return { workflow: triggered, storedHash: null }
  const current = await scope.load(workflowsById, triggered.id)
  if (current === null) return 'was deleted'
  if (!current.active) return 'is not active'
  const workflow = updated(triggered, snapshotOf(current))
  return { workflow, storedHash: newSnapshot(workflow).hash }
}

/** Returns the workflows that a retry of the runs of events executes, or why there is none, by the snapshots of the events. */
export async function versionsOf(
  scope: EnvironmentScope,
  events: readonly { readonly snapshotHash: string }[],
  version: RetriedVersion,
): Promise<ReadonlyMap<string, VersionedWorkflow | NoVersion>> {
  const hashes = [...new Set(events.map(({ snapshotHash }) => snapshotHash))]
  const found = await Promise.all(
    hashes.map(async (snapshotHash) => [snapshotHash, await versionOf(scope, { snapshotHash }, version)] as const),
  )
  return new Map(found)
}

/** Stores the workflows that runs execute since a retry. */
export function storeVersions(scope: EnvironmentScope, versions: readonly VersionedWorkflow[]): Promise<void> {
  const workflows = new Map(versions.map(({ storedHash, workflow }) => [storedHash, workflow]))
  workflows.delete(null)
  return storeSnapshots(scope, [...workflows.values()].map(newSnapshot), scope.now())
}
