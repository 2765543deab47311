// erase subscriber: removes persons from the database.
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import {
  type Erasure,
  erasure,
  erasureProgress,
  hasLeftRuns,
  type Mention,
  mentionsOf,
} from '../../domain/erasure/erasure.ts'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { subscriber } from '../../domain/subscriber.ts'
import { eraseSubscribers } from '../../engine/erasure/erase-person.ts'
import { refuse } from '../../lib/errors.ts'
import { argument, command, flagOption, listOption, option } from '../command/command.ts'

/** Milliseconds between checks of an unfinished erasure. */
const LOOK = 500

/** Milliseconds without progress after which no gateway seems to be running. */
const PATIENCE = 60_000

/** Waits until a gateway has finished an erasure. @throws Error if none works on it, or the reason of the signal. */
async function finishOf(
  scope: Scope,
  id: string,
  signal: AbortSignal,
): Promise<Erasure & { readonly finishedAt: Date }> {
  let seen: string | undefined
  let since = scope.now().getTime()
  for (;;) {
    scope.forget()
    const found = await erasure(scope, { id })
    if (found === null) throw new Error(`the erasure ${id} was deleted with its environment`)
    const { finishedAt } = found
    if (finishedAt !== null) return { ...found, finishedAt }
    const progress = await erasureProgress(scope, id)
    if (progress !== seen) since = scope.now().getTime()
    else if (scope.now().getTime() - since > PATIENCE) {
      throw new Error(
        `The erasure ${id} makes no progress: start a gateway on this database. It continues then, and needs no second command.`,
      )
    }
    seen = progress
    await pause(LOOK, undefined, { signal })
  }
}

/** @throws Refusal `NOT_FOUND` if there is neither a subscriber with the id nor a run of a deleted one. */
async function assertKnown(scope: Scope, subscriberId: string): Promise<void> {
  if ((await subscriber(scope, { subscriberId })) !== null || (await hasLeftRuns(scope, subscriberId))) return
  const message = `Subscriber "${subscriberId}" not found. To erase a person by other texts, name them with --also`
  throw refuse('NOT_FOUND', message, 'subscriberId', subscriberId)
}

/** Lists objects that still name the persons, so that someone can correct them. */
function leftIn(count: number, mentions: readonly Pick<Mention, 'type' | 'key'>[]): string {
  if (count === 0) return ''
  const lines = mentions.map(({ type, key }) => `\n  ${type.replace('_', ' ')} ${key}`)
  const others = count > mentions.length ? `\n  and ${count - mentions.length} more` : ''
  const objects = count === 1 ? 'One object of others still names' : `${count} objects of others still name`
  return `\n${objects} the person. Correct or delete ${count === 1 ? 'it' : 'them'} by hand:${lines.join('')}${others}`
}

const listed = (ids: readonly string[]) => ids.map((id) => `"${id}"`).join(', ')

export const eraseCommand = command({
  place: 'gateway',
  description: 'Deletes a subscriber and erases the person from events, messages, notifications and stored responses.',
  details:
    'The subscriber is deleted at once. A running gateway erases the rest in jobs; the command itself executes none. Several persons are erased in one pass, which takes little longer than the erasure of one.',
  examples: [
    ['erase subscriber ada --environment Production', 'erases by the id and by the addresses and names of the profile'],
    ['erase subscriber ada --environment Production --also ada@old.example --wait', 'also by a former address'],
    ['erase subscriber ada --environment Production --and grace --and alan', 'erases three persons in one pass'],
  ],
  parameters: {
    subscriberId: argument('ID', 'subscriberId of the subscriber', z.string()),
    environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
    also: listOption(
      'TEXT',
      'another text that names the person, the one named first. Can be repeated',
      z.array(z.string()).optional(),
    ),
    and: listOption('ID', 'another subscriber to erase. Can be repeated', z.array(z.string()).optional()),
    wait: flagOption('waits until a gateway has finished it'),
  },
  async run({ gateway, signal }, { subscriberId, environment, also, and = [], wait }) {
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    if (also === undefined) await assertKnown(scope, subscriberId)
    for (const other of and) await assertKnown(scope, other)
    const others = and.map((other) => ({ subscriberId: other }))
    const { id } = await eraseSubscribers(scope, { subscribers: [{ subscriberId, also }, ...others] })
    const subscribers = `the subscriber${and.length > 0 ? 's' : ''} ${listed([subscriberId, ...and])}`
    if (!wait) {
      const text = `Deleted ${subscribers}. A running gateway erases the rest: see the erasure ${id}.`
      return { text, result: { erasureId: id, finishedAt: null } }
    }
    const finished = await finishOf(scope, id, signal)
    const { finishedAt, mentionCount } = finished
    const mentions = (await mentionsOf(scope, finished)).map(({ type, key }) => ({ type, key }))
    return {
      text: `Erased ${subscribers}.${leftIn(mentionCount, mentions)}`,
      result: { erasureId: id, finishedAt, mentionCount, mentions },
    }
  },
})
