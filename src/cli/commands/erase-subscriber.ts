// erase subscriber: removes a person from the database.
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { erasure } from '../../domain/erasure.ts'
import { operatorIn } from '../../domain/operator.ts'
import { createScope, type Scope } from '../../domain/scope.ts'
import { eraseSubscriber } from '../../engine/erase-person.ts'
import { argument, command, flagOption, listOption, option } from '../command.ts'

/** Milliseconds between looks at an erasure that has not finished. */
const LOOK = 500

/** Waits until a gateway has finished an erasure. @throws the reason of the signal. */
async function finishOf(scope: Scope, id: string, signal: AbortSignal): Promise<Date> {
  for (;;) {
    scope.forget()
    const found = await erasure(scope, { id })
    if (found === null) throw new Error(`the erasure ${id} was deleted with its environment`)
    if (found.finishedAt !== null) return found.finishedAt
    await pause(LOOK, undefined, { signal })
  }
}

export const eraseCommand = command({
  place: 'gateway',
  description: 'Deletes a subscriber and erases the person from events, messages, notifications and stored responses.',
  details:
    'The subscriber is deleted at once. A running gateway erases the rest in jobs; the command itself executes none.',
  examples: [
    ['erase subscriber ada --environment Production', 'erases by the id and by the addresses and names of the profile'],
    ['erase subscriber ada --environment Production --also ada@old.example --wait', 'also by a former address'],
  ],
  parameters: {
    subscriberId: argument('ID', 'subscriberId of the subscriber', z.string()),
    environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
    also: listOption('TEXT', 'another text that names the person. Can be repeated', z.array(z.string()).optional()),
    wait: flagOption('waits until a gateway has finished it'),
  },
  async run({ gateway, signal }, { subscriberId, environment, also, wait }) {
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    const { id } = await eraseSubscriber(scope, { subscriberId, also })
    if (!wait) {
      const text = `Deleted the subscriber "${subscriberId}". A running gateway erases the rest: see the erasure ${id}.`
      return { text, result: { erasureId: id, finishedAt: null } }
    }
    const finishedAt = await finishOf(scope, id, signal)
    return { text: `Erased the subscriber "${subscriberId}".`, result: { erasureId: id, finishedAt } }
  },
})
