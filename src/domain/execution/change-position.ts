// Positions in the changes of events and messages: what a client has read, so that a stream can begin there.
import { z } from 'zod'
import { type ChangePosition, currentPosition, MAX_POSITION_AGE } from '../../data/monitoring/recent-change.ts'
import { query } from '../resolver/resolver.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** A position with the time at which it was read, in milliseconds. */
export interface Position extends ChangePosition {
  readonly at: number
}

const pattern = /^(?<oldest>\d{1,18})\.(?<at>\d{1,15})$/

/** A position as its opaque text. */
export const position = z
  .string()
  .max(64)
  .transform((text, context): Position => {
    const { oldest, at } = pattern.exec(Buffer.from(text, 'base64url').toString())?.groups ?? {}
    if (oldest !== undefined && at !== undefined) return { oldest, at: Number(at) }
    context.addIssue({ code: 'custom', message: 'must be a changePosition' })
    return z.NEVER
  })

/** True if all changes since a position can still be read. */
export const isCurrent = ({ now }: Pick<EnvironmentScope, 'now'>, { at }: Position): boolean =>
  now().getTime() - at <= MAX_POSITION_AGE

/** Returns the position before everything else that its request reads. */
export const changePosition = query({
  name: 'event.findChangePosition',
  permission: 'event:read',
  readFirst: ({ load }) => load(currentPosition, 'current'),
  input: z.object({}),
  async run({ load, now }): Promise<string> {
    const at = now().getTime()
    const { oldest } = await load(currentPosition, 'current')
    return Buffer.from(`${oldest}.${at}`).toString('base64url')
  },
})
