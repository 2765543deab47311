// demo: creates example data in an environment of its own.
import { z } from 'zod'
import { deleteEnvironment } from '../../domain/access/environment.ts'
import { operatorIn, operators } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import type { Gateway, Scope } from '../../domain/resolver/scope.ts'
import { topic } from '../../domain/topic.ts'
import { createExample, EXAMPLE_NAME, MARK } from '../../engine/example/example-environment.ts'
import { LARGE } from '../../engine/example/large.ts'
import { people } from '../../engine/example/people.ts'
import { refuse } from '../../lib/errors.ts'
import { command, flagOption, option } from '../command/command.ts'

/** The operator in the first environment. @throws Refusal `NOT_FOUND` if the database is empty. */
async function firstScope(gateway: Gateway): Promise<Scope> {
  const [first] = await operators(gateway.db)
  if (first !== undefined) return createScope(gateway, first)
  throw refuse('NOT_FOUND', 'The database has no environments: start the gateway once, which creates the first ones')
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

const grouped = (count: number) => count.toLocaleString('en')

export const demo = command({
  place: 'gateway',
  description: 'Creates an environment with example data.',
  details:
    'Three tenants, a hundred subscribers, topics, workflows for each channel, two weeks of events with successes and failures, and a paused integration with messages that wait. Nothing is sent. No other environment is changed. With --large, also a crowd of subscribers and workflows, and an event with thousands of recipients.',
  examples: [
    ['demo', 'creates the environment Demo and prints its API key'],
    ['demo --large --environment Crowd', 'creates an environment with 100,000 subscribers and 1,000 workflows'],
    ['demo --remove', 'removes the environment Demo again'],
  ],
  parameters: {
    environment: option('NAME', 'name of the new environment. Default: Demo', z.string().default(EXAMPLE_NAME)),
    large: flagOption(
      `creates ${grouped(LARGE.subscribers)} subscribers, ${grouped(LARGE.workflows)} workflows, topics with ${grouped(LARGE.subscribers)} and ${grouped(LARGE.recipients)} subscribers, and an event for ${grouped(LARGE.recipients)} recipients. Takes up to two minutes`,
    ),
    remove: flagOption('removes an environment that the demo created'),
  },
  async run({ gateway, signal, progress }, { environment: name, large: isLarge, remove: isRemoval }) {
    if (isRemoval) {
      await remove(gateway, name)
      return { text: `Removed the environment "${name}".`, result: { removed: name } }
    }
    const start = performance.now()
    const { environment, newApiKey, events } = await createExample(
      await firstScope(gateway),
      name,
      (reached) => {
        signal.throwIfAborted()
        progress(reached)
      },
      isLarge ? LARGE : undefined,
    )
    const seconds = Math.ceil((performance.now() - start) / 1_000)
    const subscribers = isLarge ? LARGE.subscribers : people.length
    const { key } = newApiKey
    return {
      text: [
        `Created the environment "${name}" in ${seconds} s: 3 tenants, ${grouped(subscribers)} subscribers, and ${grouped(events)} events of the last two weeks.`,
        'The integration demo-push is paused, and messages wait for it.',
        'Its API key is shown this once:',
        '',
        `  ${key}`,
        '',
        `Look around in the dashboard: npx notification-gateway login --environment "${name}"`,
        `demo --remove${name === EXAMPLE_NAME ? '' : ` --environment "${name}"`} removes the environment.`,
      ].join('\n'),
      result: { environment: { id: environment.id, name }, key, subscribers, events, seconds },
    }
  },
})
