// Changes to runs: writes the decisions about many runs, of any events, in one statement.
import { deliveryInsert, type NewDelivery } from './delivery.ts'
import { fanOutEnd } from './event.ts'
import { type Enqueuer, jobAddition, type NewJob } from './queue/job.ts'
import { notificationAnnouncement } from './feed/feed-event.ts'
import { notificationInsert, type NotificationRow } from './feed/notification.ts'
import { Prisma } from './prisma/client.ts'
import { ownTurn } from '../lib/own-turn.ts'
import { stepRunRepetition } from './repetition.ts'
import { type RunState, runUpdate } from './run.ts'
import { stepRunInsert, type StepRunRow } from './step-run.ts'
import { sqlCount } from './statement/statement.ts'
import { sentMessages } from './webhook/notification-message.ts'

/** The changes to write. A row may refer to another row of the same changes. */
export interface RunChanges {
  /** The states of runs. */
  readonly states?: readonly (RunState & { readonly id: string })[]
  readonly steps?: readonly StepRunRow[]
  readonly notifications?: readonly NotificationRow[]
  readonly deliveries?: readonly NewDelivery[]
  readonly jobs?: readonly NewJob[]
  /** The ids of events that are fanned out. */
  readonly fannedOut?: readonly string[]
  /** True to write a webhook message about each new notification. Default: false. */
  readonly tellsSent?: boolean
}

/** Deliveries that take long to serialize as JSON. They are serialized in parts, and requests are served in between. */
const MANY_DELIVERIES = 100

/** A part of the statement. */
interface Part {
  readonly name: string
  readonly write: Prisma.Sql
  /** Named parts that read this one. */
  readonly following?: readonly Prisma.Sql[]
  /** A query that notifies other processes of the part on commit. */
  readonly announce?: Prisma.Sql
}

function* partsOf(scope: Enqueuer, changes: RunChanges): Generator<Part> {
  const now = scope.now()
  const { states = [], steps = [], notifications = [], deliveries = [], jobs = [], fannedOut = [], tellsSent } = changes
  if (states.length > 0) yield { name: 'states', write: runUpdate(scope, states, now) }
  const newSteps = steps.filter(({ isRepeated }) => isRepeated !== true)
  if (newSteps.length > 0) yield { name: 'new_steps', write: stepRunInsert(scope, newSteps, now) }
  if (newSteps.length < steps.length) {
    const repeated = steps.filter(({ isRepeated }) => isRepeated)
    yield { name: 'repeated_steps', write: stepRunRepetition(scope, repeated, now) }
  }
  if (notifications.length > 0) {
    const name = 'new_notifications'
    const inserted = Prisma.raw(name)
    const announce = notificationAnnouncement(scope, inserted)
    const write = notificationInsert(scope, notifications, now)
    const told = tellsSent === true ? sentMessages(scope, inserted, now) : undefined
    yield told === undefined
      ? { name, write, announce }
      : { name, write, following: told.parts, announce: Prisma.sql`${announce} UNION ALL (${told.wake})` }
  }
  if (deliveries.length > 0) yield { name: 'new_deliveries', write: deliveryInsert(scope, deliveries, now) }
  if (jobs.length > 0) {
    const { insert, wake } = jobAddition(scope, jobs)
    yield { name: 'new_jobs', write: insert, announce: wake }
  }
  if (fannedOut.length > 0) yield { name: 'fanned_out', write: fanOutEnd(scope, fannedOut, now) }
}

/** Writes changes and, on commit, announces new notifications and wakes idle workers. */
export async function writeRunChanges(scope: Enqueuer, changes: RunChanges): Promise<void> {
  const isLarge = (changes.deliveries?.length ?? 0) > MANY_DELIVERIES
  const parts: Part[] = []
  for (const part of partsOf(scope, changes)) {
    parts.push(part)
    if (isLarge) await ownTurn()
  }
  if (parts.length === 0) return
  // Foreign keys are checked at the end of the statement, so its parts may be in any order.
  const written = parts.flatMap(({ name, write, following = [] }) => [
    Prisma.sql`${Prisma.raw(name)} AS (${write})`,
    ...following,
  ])
  const announced = parts.flatMap(({ announce }) => (announce === undefined ? [] : [Prisma.sql`(${announce})`]))
  const query = announced.length === 0 ? Prisma.sql`SELECT` : Prisma.join(announced, ' UNION ALL ')
  await sqlCount(scope.db, 'run-changes.writeRunChanges')`WITH ${Prisma.join(written)} ${query}`
}
