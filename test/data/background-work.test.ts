// The order of requests and background work on the only connection of the embedded database.
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { BackgroundPool } from '../../src/data/embedded/background-pool.ts'
import { PGliteStream } from '../../src/data/embedded/pglite-stream.ts'
import { onServer } from '../support/on-server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

test.runIf(onServer)('a server has one client for requests and background work', () => {
  expect(world.database.background).toBe(world.database.client)
})

describe.skipIf(onServer)(
  'background work on the only connection (needs the embedded database: no TEST_DATABASE_URL)',
  () => {
    let elapsed = 0
    let background: BackgroundPool
    let order: string[]
    beforeEach(() => {
      elapsed = 0
      background = new BackgroundPool(world.database.pool, () => elapsed)
      order = []
    })

    const run = (pool: pg.Pool, name: string) => pool.query('SELECT 1').then(() => order.push(name))
    const request = (name: string) => run(world.database.pool, name)
    const work = (name: string) => run(background, name)
    /** Background work that takes 50 ms. */
    async function longWork(): Promise<void> {
      const connection = await background.connect()
      elapsed += 50
      connection.release()
    }

    test('lets a request wait for at most one piece of it', async () => {
      const first = await background.connect()
      const rest = ['second', 'third', 'fourth'].map(work)
      const requests = ['request', 'another request'].map(request)
      elapsed += 50
      first.release()
      await Promise.all([...rest, ...requests])
      expect(order).toEqual(['request', 'another request', 'second', 'third', 'fourth'])
    })

    test('lets a request send its next statement first', async () => {
      await longWork()
      const connection = await world.database.pool.connect()
      const waiting = work('work')
      const going = request('statement').then(() => request('next statement'))
      connection.release()
      await Promise.all([waiting, going])
      expect(order).toEqual(['statement', 'next statement', 'work'])
    })

    test('is done while requests never cease', async () => {
      await longWork()
      const connection = await world.database.pool.connect()
      let isDone = false
      const waiting = work('work').then(() => (isDone = true))
      const stream = async () => {
        for (let count = 0; !isDone; count += 1) {
          elapsed += 10
          await request(`request ${count}`)
        }
      }
      const streams = [stream(), stream()]
      connection.release()
      await Promise.all([waiting, ...streams])
      expect(order).toContain('work')
    })

    test('continues after the connection failed', async () => {
      const first = await background.connect()
      const rest = ['second', 'third'].map(work)
      const waiting = request('request')
      first.release(true)
      await Promise.all([...rest, waiting])
      expect(order).toEqual(['request', 'second', 'third'])
    })

    test('fails if there is no connection', async () => {
      const pool = new pg.Pool({ max: 1, stream: () => new PGliteStream(undefined, () => {}) })
      const own = new BackgroundPool(pool)
      const all = [pool.connect(), own.connect(), own.connect(), pool.connect(), own.connect()]
      for (const one of all) await expect(one).rejects.toThrow('the embedded database is not open')
    })
  },
)
