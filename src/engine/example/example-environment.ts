// The example environment: created and filled with two weeks of events by one call.
import { z } from 'zod'
import { type Delayed, delayExampleEvents, markExampleFeeds } from '../../data/example/example-rows.ts'
import { loggable } from '../../data/driver/database-errors.ts'
import { isAdministrator } from '../../domain/access/administration.ts'
import type { NewApiKey } from '../../domain/access/api-key.ts'
import { createEnvironment, deleteEnvironment, type Environment } from '../../domain/access/environment.ts'
import { permissionsOf } from '../../domain/resolver/permission.ts'
import { shownDatabase } from '../../domain/resolver/databases.ts'
import { unwrappedMutation } from '../../domain/resolver/resolver.ts'
import type { ApiKeyCaller } from '../../domain/resolver/caller.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { Refusal } from '../../lib/errors.ts'
import { trimmedText } from '../../lib/validation.ts'
import { burstsUntil, DAYS, PAUSED } from './bursts.ts'
import { furnish, pausePush } from './furnish.ts'
import { enlarge, type ExampleSize, type Follow } from './large.ts'
import { addExampleOutcomes } from './outcomes.ts'
import { people } from './people.ts'
import { scopeAt, simulate } from './simulate.ts'

/** The topic that identifies an example environment. */
export const MARK = 'created-by-the-demo'

export const EXAMPLE_NAME = 'Demo'

const DAY = 24 * 3_600_000

/** When most feeds were last read, in milliseconds before the end. */
const LAST_READ = DAY

export interface ExampleEnvironment {
  readonly environment: Environment
  readonly newApiKey: NewApiKey
  readonly events: number
}

interface Made extends Omit<ExampleEnvironment, 'events'> {
  /** The first API key of the environment, as the caller that fills it. */
  readonly first: ApiKeyCaller
}

/** Creates the environment together with the topic that identifies it, without which it could not be removed again. */
async function createMarked(scope: Scope, name: string, time: Date): Promise<Made> {
  return scope.transaction(async (inner) => {
    const { caller } = inner
    if (!isAdministrator(caller)) throw new Refusal('FORBIDDEN', 'This operation requires an API key')
    const created = await createEnvironment(inner, {
      ...{ name, color: '#0e7490', sending: 'capture' },
      // Its rows are written in this transaction.
      database: shownDatabase(inner.database),
    })
    const environmentId = created.environment.id
    const first: ApiKeyCaller = {
      kind: 'apiKey',
      environmentId,
      organizationId: caller.organizationId,
      database: created.environment.database,
      apiKeyId: created.newApiKey.apiKey.id,
      access: 'full',
      permissions: permissionsOf.full,
      userId: caller.userId,
    }
    await inner.db.topic.create({
      data: {
        environmentId,
        id: scopeAt(inner, first, time).newId(),
        key: MARK,
        name: 'This environment is a demo',
        data: {},
        createdAt: time,
        updatedAt: time,
      },
    })
    return { ...created, first }
  })
}

/** Marks the notifications that most people have read, and those that others have only seen. */
async function readFeeds(scope: Scope): Promise<void> {
  const idsOf = (which: number) =>
    people.filter((_, index) => index % 3 === which).map(({ profile }) => profile.subscriberId)
  await scope.transaction(async (inner) => {
    await markExampleFeeds(inner, idsOf(0), 'read', inner.now())
    await markExampleFeeds(inner, idsOf(1), 'seen', inner.now())
  })
}

/** Fills the environment. @returns the number of events. */
async function fill(scope: Scope, first: ApiKeyCaller, begin: Date, end: Date, follow: Follow): Promise<number> {
  await furnish(scopeAt(scope, first, begin))
  const bursts = burstsUntil(end)
  const lastRead = new Date(end.getTime() - LAST_READ)
  const unread = bursts.findIndex(({ at }) => at > lastRead)
  const pausing = new Date(end.getTime() - PAUSED)
  let pausedId: string | undefined
  const delayed: Delayed[] = []
  for (const [index, burst] of bursts.entries()) {
    if (index === unread) await readFeeds(scopeAt(scope, first, lastRead))
    if (burst.at >= pausing) pausedId ??= await pausePush(scopeAt(scope, first, pausing))
    delayed.push(...(await simulate(scope, first, burst, { end, pausedId })))
    follow({ done: delayed.length, unit: 'events', part: (index + 1) / bursts.length })
  }
  await scopeAt(scope, first, end).transaction((inner) => delayExampleEvents(inner, delayed))
  await addExampleOutcomes({ creator: scope, caller: first, at: end })
  return delayed.length
}

/**
 * Creates an environment with example data, in less than a hundred transactions. If it cannot be filled, it is deleted.
 *
 * @param follow called between transactions.
 * @param size of a large example. Undefined for the ordinary one.
 * @throws Refusal `CONFLICT` if an environment has this name, or what `follow` throws.
 */
export async function createExample(
  scope: Scope,
  name: string,
  follow: Follow,
  size?: ExampleSize,
): Promise<ExampleEnvironment> {
  const end = scope.now()
  const begin = new Date(end.getTime() - (DAYS + 1) * DAY)
  const { first, ...created } = await createMarked(scope, name, begin)
  try {
    const events = await fill(scope, first, begin, end, follow)
    if (size === undefined) return { ...created, events }
    await enlarge(scope, first, { begin, end }, size, follow)
    return { ...created, events: events + 1 }
  } catch (error) {
    const { environmentId } = first
    await deleteEnvironment(scope, { id: environmentId }).catch((fault: unknown) =>
      scope.log.warn({ err: loggable(fault), environmentId }, 'unfinished example environment not deleted'),
    )
    throw error
  }
}

/** Creates an environment with example data, and its first API key. Takes some seconds. */
export const createExampleEnvironment = unwrappedMutation({
  name: 'environment.createExample',
  permission: 'environment:write',
  secret: true,
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ name: trimmedText(100).default(EXAMPLE_NAME) }),
  run: (scope, { name }) => createExample(scope, name, () => {}),
})
