// demo: creates example data in an environment of its own.
import { z } from 'zod'
import { createEnvironment, deleteEnvironment } from '../../domain/access/environment.ts'
import { markNotifications } from '../../domain/notification.ts'
import { operatorIn, operators } from '../../domain/access/operator.ts'
import { createScope, type Gateway, type OperatorCaller } from '../../domain/resolver/scope.ts'
import { topic } from '../../domain/topic.ts'
import { refuse } from '../../lib/errors.ts'
import { command, type CommandStreams, flagOption, option } from '../command/command.ts'
import { furnish, pausePush } from '../demo/furnish.ts'
import { DAYS, burstsUntil, PAUSED } from '../demo/bursts.ts'
import { people } from '../demo/people.ts'
import { scopeAt, simulate } from '../demo/simulate.ts'

/** The topic that identifies the demo's own environment. */
const MARK = 'created-by-the-demo'

const DAY = 24 * 3_600_000

/** When most feeds were last read, in milliseconds before the end. */
const LAST_READ = DAY

/** The operator in the first environment. @throws Refusal `NOT_FOUND` if the database is empty. */
async function firstOperator({ db }: Gateway): Promise<OperatorCaller> {
  const [first] = await operators(db)
  if (first !== undefined) return first
  throw refuse('NOT_FOUND', 'The database has no environments: start the gateway once, which creates the first ones')
}

/** Creates the environment together with the topic that identifies it, without which it could not be removed again. */
async function createMarked(gateway: Gateway, first: OperatorCaller, name: string, time: Date) {
  return createScope(gateway, first).transaction(async (scope) => {
    const created = await createEnvironment(scope, { name, color: '#0e7490' })
    const environmentId = created.environment.id
    const { newId } = scopeAt(gateway, { ...first, environmentId }, time)
    await scope.db.topic.create({
      data: {
        environmentId,
        id: newId(),
        key: MARK,
        name: 'This environment is a demo',
        data: {},
        createdAt: time,
        updatedAt: time,
      },
    })
    return created
  })
}

async function create(gateway: Gateway, streams: CommandStreams, name: string) {
  const first = await firstOperator(gateway)
  const end = gateway.now()
  const begin = new Date(end.getTime() - (DAYS + 1) * DAY)
  const { environment, newApiKey } = await createMarked(gateway, first, name, begin)
  const caller = { ...first, environmentId: environment.id }
  await furnish(scopeAt(gateway, caller, begin))
  const bursts = burstsUntil(end)
  const lastRead = new Date(end.getTime() - LAST_READ)
  const unread = bursts.findIndex(({ at }) => at > lastRead)
  const pausing = new Date(end.getTime() - PAUSED)
  let pausedId: string | undefined
  let events = 0
  for (const [index, burst] of bursts.entries()) {
    streams.signal.throwIfAborted()
    if (index === unread) await readFeeds(gateway, caller, lastRead)
    if (burst.at >= pausing) pausedId ??= await pausePush(scopeAt(gateway, caller, pausing))
    await simulate(gateway, caller, burst, { end, pausedId })
    events += burst.triggers.length
    streams.progress({ done: events, unit: 'events', part: (index + 1) / bursts.length })
  }
  return { environment, key: newApiKey.key, events }
}

/** Marks the notifications that most people have read. */
async function readFeeds(gateway: Gateway, caller: OperatorCaller, time: Date): Promise<void> {
  const scope = scopeAt(gateway, caller, time)
  for (const [index, { profile, tenant }] of people.entries()) {
    if (index % 3 === 2) continue
    const { subscriberId } = profile
    const contextKeys = index % 2 === 0 ? [] : [`tenant:${tenant.identifier}`]
    await markNotifications(scope, { subscriberId, contextKeys, filter: null, as: index % 3 === 0 ? 'read' : 'seen' })
  }
}

/** Deletes an environment that the demo created. @throws Refusal `CONFLICT` for any other environment. */
async function remove(gateway: Gateway, name: string): Promise<void> {
  const caller = await operatorIn(gateway.db, name)
  if ((await topic(createScope(gateway, caller), { key: MARK })) === null) {
    throw refuse('CONFLICT', `The environment "${name}" was not created by the demo: it is not removed`, 'environment')
  }
  // Called from another environment, because a caller cannot delete its own.
  const { environmentId: id, organizationId } = caller
  const all = await operators(gateway.db)
  const first = all.find((operator) => operator.organizationId === organizationId && operator.environmentId !== id)
  if (first === undefined) throw refuse('CONFLICT', 'The first environment cannot be removed', 'environment')
  await deleteEnvironment(createScope(gateway, first), { id })
}

export const demo = command({
  place: 'gateway',
  description: 'Creates an environment with example data.',
  details:
    'Three tenants, a hundred subscribers, topics, workflows for each channel, two weeks of events with successes and failures, and a paused integration with messages that wait. Nothing is sent. No other environment is changed.',
  examples: [
    ['demo', 'creates the environment Demo and prints its API key'],
    ['demo --remove', 'removes it again'],
  ],
  parameters: {
    environment: option('NAME', 'name of the new environment. Default: Demo', z.string().default('Demo')),
    remove: flagOption('removes an environment that the demo created'),
  },
  async run({ gateway, ...streams }, { environment: name, remove: isRemoval }) {
    if (isRemoval) {
      await remove(gateway, name)
      return { text: `Removed the environment "${name}".`, result: { removed: name } }
    }
    const { environment, key, events } = await create(gateway, streams, name)
    return {
      text: [
        `Created the environment "${name}": 3 tenants, ${people.length} subscribers, and ${events} events of the last two weeks.`,
        'The integration demo-push is paused, and messages wait for it.',
        'Its API key is shown this once:',
        '',
        `  ${key}`,
        '',
        `Look around in the dashboard: npx notification-gateway login --environment "${name}"`,
        'demo --remove removes the environment.',
      ].join('\n'),
      result: { environment: { id: environment.id, name }, key, subscribers: people.length, events },
    }
  },
})
