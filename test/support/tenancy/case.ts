// Tenancy cases: what one environment can do with the names of another.
import { expect } from 'vitest'
import type { Furnished } from '../furnish.ts'

interface Setting {
  readonly graces: Furnished
  readonly adas: Furnished
  /** Creates another environment like Grace's, for cases that leave rows behind. */
  readonly another: () => Promise<Furnished>
}

/** A check of what Grace's environment can do with a name from Ada's. */
export type Case = (setting: Setting) => Promise<void>
export type Input = Readonly<Record<string, unknown>>
type InputOf = Input | ((graces: Furnished['ids'], adas: Furnished['ids']) => Input)

const inputFor = (input: InputOf, graces: Furnished, adas: Furnished): Input =>
  typeof input === 'function' ? input(graces.ids, adas.ids) : input

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).every(isNothing))

/** Expects only null and empty lists from the query. */
export const findsNothing =
  (query: string, variables: InputOf = {}): Case =>
  async ({ graces, adas }) => {
    const data = await graces.client.ask(query, inputFor(variables, graces, adas))
    expect(data).toSatisfy(isNothing)
  }

/** Expects NOT_FOUND from the mutation, as for a name that does not exist. */
export const doesNotFind =
  (mutation: string, input: InputOf): Case =>
  async ({ graces, adas }) => {
    const { userErrors } = await graces.client.act(mutation, inputFor(input, graces, adas))
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND' }])
  }

/** Expects the mutation to succeed, because names are unique only within an environment. */
export const makesItsOwn =
  (mutation: string, input: InputOf, fields = '', made = {}): Case =>
  async ({ adas, another }) => {
    const graces = await another()
    const payload = await graces.client.act(mutation, inputFor(input, graces, adas), fields)
    expect(payload).toEqual({ ...made, userErrors: [] })
  }

/** Ada, who does not exist in Grace's environment. */
export const ofAda = { subscriberId: 'ada' }
