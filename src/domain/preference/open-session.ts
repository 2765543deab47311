// Opens browser sessions. The first one of a subscriber can bring a schedule.
import { lockSubscribers } from '../../data/lock.ts'
import { mutation } from '../resolver/resolver.ts'
import type { SessionCaller } from '../resolver/caller.ts'
import type { Scope } from '../resolver/scope.ts'
import { type OpenedSession, sessionInput, writeSession } from '../session.ts'
import { writeChoices } from './change-preference.ts'
import { preferencesBySubscriber } from './preference-rule.ts'
import { type ScheduleChange, scheduleInput } from './schedule.ts'

/** A schedule applies unless it says otherwise. */
const defaultSchedule = scheduleInput.extend({ isEnabled: scheduleInput.shape.isEnabled.default(true) })

/** Writes the schedule of a session that was just opened, unless its subscriber has one under its contexts. */
async function writeDefaultSchedule(scope: Scope, session: SessionCaller, schedule: ScheduleChange): Promise<void> {
  const { subscriberId, contextKeys, isUnsigned, permissions } = session
  if (isUnsigned || !permissions.has('preference:write')) return
  // The lock makes another session wait that is opened at the same time.
  const existing = await lockSubscribers(scope, [subscriberId])
  const key = { subscriberId, contextKeys }
  const { global } = await scope.load(preferencesBySubscriber, key)
  if (!existing.has(subscriberId) || (global?.schedule ?? null) !== null) return
  await writeChoices(scope, [{ ...key, subject: { scope: 'all' }, schedule }], { source: 'session' })
}

/**
 * Opens a session, as `writeSession` says. `defaultSchedule` becomes the schedule of the subscriber under the contexts
 * of the session if there is none. An unsigned session and one that a read-only key signed change no preferences.
 *
 * @throws Refusal `NOT_FOUND` for a lasting session of a missing subscriber that a read-only key signed.
 */
export const openSession = mutation({
  name: 'session.open',
  permission: 'session:write',
  secret: true,
  rate: { category: 'global', cost: 1 },
  input: sessionInput.extend({ defaultSchedule: defaultSchedule.nullish() }),
  async run(scope, { defaultSchedule, ...given }): Promise<OpenedSession> {
    const opened = await writeSession(scope, given)
    if (defaultSchedule) await writeDefaultSchedule(scope, opened.session, defaultSchedule)
    return opened
  },
})
