// Tenancy cases: what one environment can do with the names of another. Each case must succeed for the owner of the
// names, because otherwise its failure for another environment would prove nothing.
import { expect } from 'vitest'
import { ada, type Furnished, grace, type Names } from '../furnish.ts'

interface Setting {
  readonly graces: Furnished
  readonly adas: Furnished
  /** Creates another environment like Grace's, for cases that leave rows behind. */
  readonly another: () => Promise<Furnished>
  /**
   * Creates another environment like Ada's, for actions of its owner. Undefined if an earlier case has shown that they
   * succeed.
   */
  readonly owner?: (() => Promise<Furnished>) | undefined
  /** Returns every row of an environment as text. */
  readonly rowsOf: (furnished: Furnished) => Promise<readonly string[]>
}

/** A check of what Grace's environment can do with a name from Ada's. */
export type Case = (setting: Setting) => Promise<void>
export type Input = Readonly<Record<string, unknown>>
type InputOf = Input | ((graces: Furnished['ids'], adas: Furnished['ids']) => Input)

const inputFor = (input: InputOf, graces: Furnished, adas: Furnished): Input =>
  typeof input === 'function' ? input(graces.ids, adas.ids) : input

const adasNames = new Map(Object.keys(grace).map((key) => [grace[key as keyof Names], ada[key as keyof Names]]))

/** Returns Ada's name for one of Grace's, such as `orders` for `invoices`. */
const adasNameFor = (name: string) =>
  adasNames.get(name) ??
  name.replace(/^tenant:(.+)/, (_key, tenant: string) => `tenant:${adasNames.get(tenant) ?? tenant}`)

/** The owner's input, where another environment sends `input`. */
function ownersInput(input: InputOf, owner: Furnished): Input {
  const given = JSON.stringify(inputFor(input, owner, owner))
  return JSON.parse(given, (_key, value: unknown) => (typeof value === 'string' ? adasNameFor(value) : value)) as Input
}

/** The query with Ada's names instead of Grace's. */
const ownersQuery = (query: string) => query.replaceAll(/"([^"]+)"/g, (_text, name: string) => `"${adasNameFor(name)}"`)

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).every(isNothing))

/** Expects only null and empty lists from the query. */
export const findsNothing =
  (query: string, variables: InputOf = {}): Case =>
  async ({ graces, adas, owner }) => {
    if (owner) {
      const found = await adas.client.ask(ownersQuery(query), ownersInput(variables, adas))
      expect(found, 'what the owner finds').not.toSatisfy(isNothing)
    }
    const data = await graces.client.ask(query, inputFor(variables, graces, adas))
    expect(data).toSatisfy(isNothing)
  }

/**
 * Expects NOT_FOUND from the mutation, as for a name that does not exist.
 *
 * @param owned the owner's input. Default: the same input with its own names. If the environment's own key is not
 *   permitted, the path of a test that shows the success.
 */
export const doesNotFind =
  (mutation: string, input: InputOf, owned?: `test/${string}` | ((owner: Furnished) => Input | Promise<Input>)): Case =>
  async ({ graces, adas, owner }) => {
    if (owner && typeof owned !== 'string') {
      const own = await owner()
      const made = await own.client.act(mutation, owned ? await owned(own) : ownersInput(input, own))
      expect(made.userErrors, 'errors of the owner').toEqual([])
    }
    const { userErrors } = await graces.client.act(mutation, inputFor(input, graces, adas))
    expect(userErrors).toMatchObject([{ code: 'NOT_FOUND' }])
  }

/**
 * Expects the mutation to succeed, because names are unique only within an environment. For the owner of the name, it
 * has another result or changes something.
 */
export const makesItsOwn =
  (mutation: string, input: InputOf, fields = '', made = {}): Case =>
  async ({ adas, another, owner, rowsOf }) => {
    if (owner) {
      const own = await owner()
      const before = await rowsOf(own)
      const result = await own.client.act(mutation, ownersInput(input, own), fields)
      const isSame = JSON.stringify(result) === JSON.stringify({ ...made, userErrors: [] })
      if (isSame) expect(await rowsOf(own), 'what the owner has').not.toEqual(before)
    }
    const graces = await another()
    const payload = await graces.client.act(mutation, inputFor(input, graces, adas), fields)
    expect(payload).toEqual({ ...made, userErrors: [] })
  }

/** Expects the mutation, which deletes what matches a filter, to delete nothing. */
export const deletesNothing =
  (mutation: string, filter: Input): Case =>
  async ({ graces, owner }) => {
    const deleted = ({ client }: Furnished) => client.act(mutation, { filter }, 'deletedCount')
    const some: unknown = expect.toSatisfy((count) => count > 0)
    if (owner) expect(await deleted(await owner())).toEqual({ deletedCount: some, userErrors: [] })
    expect(await deleted(graces)).toEqual({ deletedCount: 0, userErrors: [] })
  }

/** Ada, who does not exist in Grace's environment. */
export const ofAda = { subscriberId: 'ada' }

/** A case for each filter of each list. */
export const filterCases = (
  lists: Readonly<Record<string, (filter: string) => string>>,
  filters: Readonly<Record<string, string>>,
): Record<string, Case> =>
  Object.fromEntries(
    Object.entries(lists).flatMap(([list, query]) =>
      Object.entries(filters).map(([field, value]) => [
        `${list}(filter.${field})`,
        findsNothing(query(`filter: { ${field}: ${value} }`)),
      ]),
    ),
  )
