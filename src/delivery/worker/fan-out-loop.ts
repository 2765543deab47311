// Fans out events: one transaction of an environment at a time. Events that arrive meanwhile share the next one, which costs
// less than transactions side by side.
import type { Announcement } from '../../data/queue/job.ts'
import { Announcements } from './announcements.ts'
import { type Look, TransactedLoop, type TransactedLoopOptions } from './transacted-loop.ts'

export class FanOutLoop extends TransactedLoop<'events'> {
  readonly #announcements = new Announcements(
    (environmentId) => this.isInProgress(environmentId),
    () => this.waker.wake(),
  )

  protected override readonly end = (environmentId: string): boolean => this.#announcements.end(environmentId)

  constructor(options: TransactedLoopOptions) {
    super('events', { takenAtOnce: 50, share: 1 }, options)
  }

  override announce({ environmentId }: Pick<Announcement, 'environmentId'>): void {
    this.#announcements.announce(environmentId)
  }

  protected override look(take: Look<'events'>): ReturnType<Look<'events'>> {
    return this.#announcements.look(take)
  }
}
