// Nested transactions, in the ways the domain relies on.
import { expect, test } from 'vitest'
import { callerOfKey } from '../../src/domain/access/api-key.ts'
import { context, createContext } from '../../src/domain/context.ts'
import { createScope } from '../../src/domain/resolver/create-scope.ts'
import type { Scope } from '../../src/domain/resolver/scope.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

async function newScope(): Promise<Scope> {
  const { key } = await world.environment()
  const caller = await callerOfKey(world.gateway, key)
  if (caller === undefined) throw new Error('a new key opens its environment')
  return createScope(world.gateway, caller)
}

async function keysIn(scope: Scope): Promise<string[]> {
  const rows = await scope.db.context.findMany({
    where: { environmentId: scope.environmentId },
    orderBy: { key: 'asc' },
  })
  return rows.map(({ key }) => key)
}

const add = (scope: Scope, identifier: string) => createContext(scope, { type: 'tenant', identifier })

test('an error in a nested transaction rolls back only its own writes', async () => {
  const scope = await newScope()
  await scope.transaction(async (outer) => {
    await add(outer, 'acme')
    const failing = outer.transaction(async (inner) => {
      await add(inner, 'globex')
      throw new Error('changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    await add(outer, 'initech')
  })
  expect(await keysIn(scope)).toEqual(['tenant:acme', 'tenant:initech'])
})

test('a constraint violation in a nested transaction leaves the outer transaction usable', async () => {
  const scope = await newScope()
  await scope.transaction(async (outer) => {
    await add(outer, 'acme')
    await expect(add(outer, 'acme')).rejects.toBeInstanceOf(Refusal)
    await add(outer, 'globex')
  })
  expect(await keysIn(scope)).toEqual(['tenant:acme', 'tenant:globex'])
})

test('an error in the outer transaction rolls back nested writes', async () => {
  const scope = await newScope()
  const failing = scope.transaction(async (outer) => {
    await outer.transaction((inner) => add(inner, 'acme'))
    throw new Error('changed its mind')
  })
  await expect(failing).rejects.toThrow('changed its mind')
  expect(await keysIn(scope)).toEqual([])
})

test('transactions can be nested several levels deep', async () => {
  const scope = await newScope()
  await scope.transaction(async (outer) => {
    const failing = outer.transaction(async (middle) => {
      await middle.transaction((inner) => add(inner, 'acme'))
      await expect(add(middle, 'acme')).rejects.toBeInstanceOf(Refusal)
      throw new Error('changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    await add(outer, 'globex')
  })
  expect(await keysIn(scope)).toEqual(['tenant:globex'])
})

test('the outer scope sees nested writes to a row it has already read', async () => {
  const scope = await newScope()
  await scope.transaction(async (outer) => {
    const created = await add(outer, 'acme')
    expect(await context(outer, { id: created.id })).toMatchObject({ data: {} })
    await outer.transaction((inner) =>
      inner.db.context.update({
        where: { environmentId_id: { environmentId: inner.environmentId, id: created.id } },
        data: { data: { plan: 'pro' } },
      }),
    )
    expect(await context(outer, { id: created.id })).toMatchObject({ data: { plan: 'pro' } })
  })
})

test('actions for after the commit run once the outermost transaction has committed', async () => {
  const scope = await newScope()
  const acts: string[] = []
  const note = (within: Scope, act: string) => {
    within.afterCommit(() => acts.push(act))
  }
  await scope.transaction(async (outer) => {
    note(outer, 'outer')
    await outer.transaction(async (inner) => note(inner, 'inner'))
    const failing = outer.transaction((inner) => {
      note(inner, 'rolled back')
      return Promise.reject(new Error('changed its mind'))
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(acts).toEqual([])
  })
  expect(acts).toEqual(['outer', 'inner'])
  note(scope, 'alone')
  expect(acts).toEqual(['outer', 'inner', 'alone'])
})

/** Fails like a transaction that PostgreSQL ends to resolve a deadlock. */
const endByDeadlock = ({ db }: Pick<Scope, 'db'>) =>
  db.$executeRaw`DO $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$`

test('a transaction that a deadlock ended is repeated, and so is a write of one statement', async () => {
  const scope = await newScope()
  const committed: string[] = []
  let attempts = 0
  await scope.transaction(async (outer) => {
    attempts += 1
    outer.afterCommit(() => committed.push('acme'))
    await add(outer, 'acme')
    if (attempts === 1) await endByDeadlock(outer)
  })
  await scope.atomic(async (outer) => {
    attempts += 1
    if (attempts === 3) await endByDeadlock(outer)
  })
  expect(attempts).toBe(4)
  expect(committed).toEqual(['acme'])
  expect(await keysIn(scope)).toEqual(['tenant:acme'])
})

test('a nested transaction that ended with a deadlock is repeated together with the outer transaction', async () => {
  const scope = await newScope()
  const attempts = { outer: 0, inner: 0 }
  await scope.transaction(async (outer) => {
    attempts.outer += 1
    await outer.transaction(async (inner) => {
      attempts.inner += 1
      await add(inner, 'acme')
      if (attempts.inner === 1) await endByDeadlock(inner)
    })
  })
  expect(attempts).toEqual({ outer: 2, inner: 2 })
  expect(await keysIn(scope)).toEqual(['tenant:acme'])
})
