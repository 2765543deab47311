// Tenancy cases: naming an object of another environment in each of the two ways in which an operation takes it.
import { expect } from 'vitest'
import { type Address, addresses, idFieldOf, nodeIdIn, queryOf } from './address.ts'
import { ada, type Furnished } from '../furnish.ts'
import type { Case } from './case.ts'

type Naming = (adas: Furnished) => Promise<Readonly<Record<string, unknown>>>

/** Another environment finds nothing. test/graphql/address.test.ts shows that the owner finds the object. */
const finds =
  (address: Address, naming: Naming): Case =>
  async ({ graces: { client }, adas }) => {
    const named = await naming(adas)
    if (address.kind === 'Query') {
      const { data, errors } = await client.send(queryOf(address, named))
      // An export is not nullable.
      if (address.selected === undefined) expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
      else expect(data).toEqual({ [address.operation]: null })
    } else if (address.operation === 'cancelEvent') {
      expect(await client.act('cancelEvent', named, 'cancelled')).toEqual({ cancelled: false, userErrors: [] })
    } else {
      const { userErrors } = await client.act(address.operation, { ...address.others, ...named })
      expect(userErrors).toMatchObject([{ code: 'NOT_FOUND' }])
    }
  }

const casesOf = (address: Address): Record<string, Case> => {
  const place = (field: string) =>
    address.kind === 'Query' ? `Query.${address.operation}(${field})` : `Mutation.${address.operation}(input.${field})`
  const byName = finds(address, async ({ client }) => address.named(ada, client))
  return Object.fromEntries([
    ...address.own.map((field) => [place(field), byName]),
    [place(idFieldOf(address)), finds(address, (adas) => Promise.resolve(nodeIdIn(address, adas)))],
  ])
}

/** A case for each of the two ways of each operation on one object. */
export const casesOfAddresses = (isOfEnvironments: boolean): Record<string, Case> =>
  Object.assign({}, ...addresses.filter(({ type }) => (type === 'Environment') === isOfEnvironments).map(casesOf))
