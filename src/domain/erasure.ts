// Erasures: the removal of a person from the database, which takes a while, and what it searches for.
import { z } from 'zod'
import { erasureJobs, erasuresById, hasRunsOf, type StoredErasure } from '../data/erasure.ts'
import type { Marked, Marks } from '../lib/marks.ts'
import { query } from './resolver.ts'
import type { EnvironmentScope } from './scope.ts'

/** An erasure as callers see it. */
export type Erasure = Omit<StoredErasure, 'marks'>

/** A person, and what an erasure searches for. */
export interface Person extends Marks {
  readonly subscriberId: string
}

const texts = z.array(z.string())
const person = z.object({ subscriberId: z.string(), own: texts, exact: texts, shared: texts })
/** A person alone was stored by versions that erased one at a time. */
const sealed = z.union([
  z.object({ persons: z.array(person) }).transform(({ persons }) => persons),
  person.transform((one) => [one]),
])

type Sealing = Pick<EnvironmentScope, 'cipher' | 'environmentId'>

/** Encrypts persons, for as long as their erasure takes. */
export const sealPersons = ({ cipher, environmentId }: Sealing, persons: readonly Person[]): string =>
  cipher.encrypt(JSON.stringify({ persons }), environmentId)

/** Decrypts the persons of an erasure. @throws if the key is missing. */
export const openPersons = (
  { cipher, environmentId }: Sealing,
  id: string,
  marks: string,
): readonly (Person & Marked)[] =>
  sealed
    .parse(JSON.parse(cipher.decrypt(marks, environmentId)))
    .map((one, index) => ({ ...one, placeholder: placeholderOf(id, index) }))

/** What replaces the id, the addresses and the names of a person. Differs between persons, so that it is unique. */
const placeholderOf = (erasureId: string, index: number) =>
  index === 0 ? `erased-${erasureId}` : `erased-${erasureId}-${index}`

export const erasure = query({
  name: 'erasure.get',
  permission: 'subscriber:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }): Promise<Erasure | null> => load(erasuresById, id),
})

/** Returns what changes whenever a job of an erasure is taken or finished. */
export const erasureProgress = async (scope: EnvironmentScope, id: string): Promise<string> =>
  JSON.stringify(await erasureJobs(scope, id))

/** True if runs have the subscriberId, possibly those of a subscriber that was deleted. */
export const hasLeftRuns = (scope: EnvironmentScope, subscriberId: string): Promise<boolean> =>
  hasRunsOf(scope, subscriberId)
