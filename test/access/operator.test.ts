// The operator as a caller: how an environment is named, and what the operator is in each organization.
import { beforeAll, describe, expect, test } from 'vitest'
import { writeEnvironment } from '../../src/domain/access/new-environment.ts'
import { operatorIn, operators } from '../../src/domain/access/operator.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

let other: { organizationId: string; userId: string; environmentId: string; identifier: string }

/** Creates another organization with the environments Production and Staging. */
beforeAll(async () => {
  const { db, newId, now } = world.gateway
  const [organizationId, userId] = [newId(), newId()]
  await db.organization.create({ data: { id: organizationId, name: 'Other', createdAt: now() } })
  await db.user.create({ data: { id: userId, organizationId, name: 'Eve', createdAt: now() } })
  const write = (name: string) =>
    writeEnvironment(world.gateway, { organizationId, name, color: '#000000', type: 'prod', parentId: null })
  const { id: environmentId, identifier } = await write('Production')
  await write('Staging')
  other = { organizationId, userId, environmentId, identifier }
})

const find = (named: string) => operatorIn(world.gateway.db, named)

describe('an operator', () => {
  test('names an environment by its id, its identifier, or a name that only one organization has', async () => {
    const { organizationId, userId, environmentId, identifier } = other
    const operator = { kind: 'operator', access: 'admin', organizationId, userId }
    for (const named of [environmentId, identifier])
      expect(await find(named)).toMatchObject({ ...operator, environmentId })
    const staging = await find('Staging')
    expect(staging).toMatchObject(operator)
    expect(staging.environmentId).not.toBe(environmentId)
  })

  test('is asked for the id if several organizations have an environment with that name', async () => {
    await expect(find('Production')).rejects.toMatchObject({
      kind: 'CONFLICT',
      message: 'Several organizations have an environment "Production": give its id instead',
      issues: [{ path: ['environment'], value: 'Production' }],
    })
  })

  test('receives the existing names if an environment is unknown', async () => {
    await expect(find('Prodction')).rejects.toMatchObject({
      kind: 'NOT_FOUND',
      message: expect.stringMatching(
        /^environment must be the name, .+ of an environment, such as "Development", "Production", .+: "Prodction" was not found$/,
      ),
      issues: [{ path: ['environment'], value: 'Prodction' }],
    })
  })

  test('is one caller in each organization: its first user, in its first environment', async () => {
    const all = await operators(world.gateway.db)
    expect(all).toHaveLength(2)
    const development = await find('Development')
    expect(all[0]).toEqual(development)
    const { identifier: _identifier, ...ids } = other
    expect(all[1]).toEqual({ ...development, ...ids })
  })
})
