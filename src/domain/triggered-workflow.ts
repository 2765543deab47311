// The workflow as an event stores it. Later changes to the workflow do not affect the event's runs.
import { z } from 'zod'
import type { Event, Prisma } from '../data/prisma/client.ts'
import { Severity } from '../data/prisma/enums.ts'
import { jsonObject } from '../lib/validation.ts'
import { type Step, stepsOf } from './workflow-step.ts'
import type { Workflow } from './workflow.ts'

const snapshot = z.object({
  id: z.string(),
  identifier: z.string(),
  name: z.string(),
  active: z.boolean(),
  critical: z.boolean(),
  severity: z.enum(Severity),
  tags: z.array(z.string()),
  channels: jsonObject(),
  steps: z.array(z.json()),
})

/** The workflow that an event's runs execute. */
export type TriggeredWorkflow = Omit<z.output<typeof snapshot>, 'steps'> & { readonly steps: readonly Step[] }

/** The column's value for a workflow. */
export function snapshotOf(workflow: Workflow): Prisma.InputJsonObject {
  return snapshot.parse(workflow)
}

/** The workflow in an event's column. */
export function triggeredWorkflowOf({ workflow }: Pick<Event, 'workflow'>): TriggeredWorkflow {
  const { steps, ...rest } = snapshot.parse(workflow)
  return { ...rest, steps: stepsOf(steps) }
}
