// The changes of notifications that someone asks for.
import { mark, markAll } from './documents.ts'
import { assertDone } from './errors.ts'
import type { Session } from './session.ts'

export type Mark = 'READ' | 'UNREAD' | 'ARCHIVED' | 'UNARCHIVED'

export async function markOne(session: Session, id: string, as: Mark): Promise<void> {
  assertDone((await session.send(mark, { input: { id, as } })).markNotification)
}

export async function markAllRead(session: Session): Promise<void> {
  const { subscriberId, contextKeys } = await session.open()
  const input = {
    subscriberId,
    contextKeys: [...contextKeys],
    as: 'READ' as const,
    filter: { archived: false },
  }
  assertDone((await session.send(markAll, { input })).markNotifications)
}
