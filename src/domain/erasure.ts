// Erasures: the removal of a person from the database, which takes a while, and what it searches for.
import { z } from 'zod'
import { erasuresById, type StoredErasure } from '../data/erasure.ts'
import type { Marks } from '../lib/marks.ts'
import { query } from './resolver.ts'
import type { EnvironmentScope } from './scope.ts'

/** An erasure as callers see it. */
export type Erasure = Omit<StoredErasure, 'marks'>

/** What an erasure searches for. */
export interface Person extends Marks {
  readonly subscriberId: string
}

const texts = z.array(z.string())
const person = z.object({ subscriberId: z.string(), own: texts, exact: texts, shared: texts })

type Sealing = Pick<EnvironmentScope, 'cipher' | 'environmentId'>

/** Encrypts a person, for as long as the erasure takes. */
export const sealPerson = ({ cipher, environmentId }: Sealing, given: Person): string =>
  cipher.encrypt(JSON.stringify(given), environmentId)

/** Decrypts a person. @throws if the key is missing. */
export const openPerson = ({ cipher, environmentId }: Sealing, sealed: string): Person =>
  person.parse(JSON.parse(cipher.decrypt(sealed, environmentId)))

/** What replaces the id, the addresses and the names of a person. Differs between erasures, so that it is unique. */
export const placeholderOf = (erasureId: string) => `erased-${erasureId}`

export const erasure = query({
  name: 'erasure.get',
  permission: 'subscriber:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }): Promise<Erasure | null> => load(erasuresById, id),
})
