// The first start with an API key chosen by the operator.
import { beforeEach, describe, expect, test } from 'vitest'
import { isWeakKey } from '../../src/domain/access/api-key.ts'
import { bootstrap } from '../../src/domain/access/bootstrap.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const weakKey = 'chosen-by-grace-1906'
const strongKey = 'Zk3v8Qw1Lr0Tn6Yx4Bc9Hd2Mf7Pj5Sg='

/** Starts with this key. @returns the warnings about it. */
async function start(key: string) {
  world.logged.length = 0
  await bootstrap(world.gateway, key)
  expect(JSON.stringify(world.logged)).not.toContain(key)
  return world.logged.filter(({ msg }) => String(msg).includes('BOOTSTRAP_API_KEY'))
}

describe('the first start', () => {
  beforeEach(async () => {
    await world.database.pool.query('DELETE FROM api_keys')
    await world.database.pool.query('DELETE FROM organizations')
  })

  test('warns about a weak key once, without the key, and accepts it', async () => {
    const warning = { level: 40, msg: 'BOOTSTRAP_API_KEY is weak: create a random API key and revoke this one' }
    expect(await start(weakKey)).toMatchObject([warning])
    expect(await start(weakKey)).toEqual([])
    const { environment } = await world.client(weakKey).ask('{ environment { name } }')
    expect(environment.name).toBe('Development')
  })

  test('does not warn about a random key', async () => {
    expect(await start(strongKey)).toEqual([])
  })
})

test('a later start does not use a weak key and does not warn about it', async () => {
  await bootstrap(world.gateway)
  expect(await start(weakKey)).toEqual([])
})

test.each([
  ['31 characters', strongKey.slice(0, 31), true],
  ['32 characters', strongKey.slice(0, 32), false],
  ['many characters, of which 7 are different', 'abcdefg'.repeat(20), true],
  ['many characters, of which 8 are different', 'abcdefgh'.repeat(20), false],
  ['32 random hexadecimal digits', '9f86d081884c7d659a2feaa0c55ad015', false],
])('the strength of a key with %s', (_what, key, isWeak) => {
  expect(isWeakKey(key)).toBe(isWeak)
})
