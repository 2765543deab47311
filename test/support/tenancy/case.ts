// A case: what one environment does with a name of another's.
import { expect } from 'vitest'
import type { Furnished } from '../furnish.ts'
import type { Data } from '../world.ts'

interface Setting {
  readonly graces: Furnished
  readonly adas: Furnished
  /** One more environment like Grace's, for whatever leaves something behind. */
  readonly another: () => Promise<Furnished>
}

/** What Grace's environment does with a name of Ada's. */
export type Case = (setting: Setting) => Promise<void>
export type Input = Readonly<Record<string, unknown>>
type InputOf = Input | ((graces: Furnished['ids'], adas: Furnished['ids']) => Input)

const inputFor = (input: InputOf, graces: Furnished, adas: Furnished): Input =>
  typeof input === 'function' ? input(graces.ids, adas.ids) : input

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).every(isNothing))

/** The query answers null or an empty list, all the way down. */
export const findsNothing =
  (query: string, variables: InputOf = {}): Case =>
  async ({ graces, adas }) => {
    const data: Data = await graces.client.ask(query, inputFor(variables, graces, adas))
    expect(data).toSatisfy(isNothing)
  }

/** The mutation refuses, as it would if nothing of that name existed. */
export const doesNotFind =
  (mutation: string, input: InputOf): Case =>
  async ({ graces, adas }) => {
    const { userErrors } = await graces.client.act(mutation, inputFor(input, graces, adas))
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND' }])
  }

/** The mutation is done, in an environment like Grace's: a name is taken in one environment only. */
export const makesItsOwn =
  (mutation: string, input: InputOf, fields = '', made = {}): Case =>
  async ({ adas, another }) => {
    const graces = await another()
    const payload = await graces.client.act(mutation, inputFor(input, graces, adas), fields)
    expect(payload).toEqual({ ...made, userErrors: [] })
  }

/** Ada, of whom Grace's environment knows nothing. */
export const ofAda = { subscriberId: 'ada' }
