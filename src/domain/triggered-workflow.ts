// The workflow as an event stores it: what runs, regardless of later changes to the workflow.
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

/** A workflow as an event keeps it: what is run, whatever becomes of the workflow meanwhile. */
export type TriggeredWorkflow = Omit<z.output<typeof snapshot>, 'steps'> & { readonly steps: readonly Step[] }

export function snapshotOf(workflow: Workflow): Prisma.InputJsonObject {
  return snapshot.parse(workflow)
}

export function triggeredWorkflowOf({ workflow }: Pick<Event, 'workflow'>): TriggeredWorkflow {
  const { steps, ...rest } = snapshot.parse(workflow)
  return { ...rest, steps: stepsOf(steps) }
}
