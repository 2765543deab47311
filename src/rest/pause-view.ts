// The field with the pause of an integration, a workflow or an environment.
import { z } from 'zod'
import {
  type PausedKind,
  pauseOfEnvironment,
  pauseOfIntegration,
  pauseOfWorkflow,
} from '../domain/execution/current-pause.ts'
import type { Resolver } from '../domain/resolver/resolver.ts'
import type { Pause } from '../domain/execution/pause.ts'
import type { DoorScope } from '../domain/resolver/door-scope.ts'
import { present } from '../lib/present.ts'
import { timestamp } from './views.ts'

const pauseView = z
  .object({
    pausedAt: timestamp.meta({ description: 'Time the pause began, in ISO 8601 format.' }),
    pausedBy: z
      .string()
      .meta({ description: 'Caller that began the pause: the name of an API key, the dashboard or the command line.' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Note of the caller that began the pause. Absent if there is none.' }),
  })
  .meta({ id: 'Pause', description: 'Pause of an integration, a workflow or an environment.' })

export const pauseField = pauseView.optional().meta({
  description: 'The pause. Pending messages and runs wait until it ends. Absent if the object is not paused.',
})

type FindPause = Resolver<typeof pauseOfIntegration.definition.input, Pause | null>

const finders = {
  environment: pauseOfEnvironment,
  integration: pauseOfIntegration,
  workflow: pauseOfWorkflow,
} as const satisfies Record<PausedKind, FindPause>

/** Returns the field with the pause, or nothing if the object is not paused. */
export async function showPause(
  scope: DoorScope,
  kind: PausedKind,
  id: string,
): Promise<{ pause?: z.input<typeof pauseView> }> {
  const pause = await finders[kind](scope, { id })
  if (pause === null) return {}
  const { pausedAt, pausedBy, reason } = pause
  return { pause: { pausedAt: pausedAt.toISOString(), pausedBy, ...present({ reason }) } }
}
