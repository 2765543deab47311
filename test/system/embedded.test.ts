// The embedded database: the directory lock, the single connection, and table statistics.
import { EventEmitter, once } from 'node:events'
import { readdir, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { pino } from 'pino'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/data/connection/database.ts'
import { EmbeddedDatabase } from '../../src/data/embedded/embedded.ts'
import { holdDirectory } from '../../src/data/embedded/directory-lock.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { copyOf } from '../support/prepare.ts'

/** Creates the remains of kill -9: a socket on which nobody listens. */
async function leaveDeadSocket(folder: string, name: string): Promise<void> {
  const server = createServer().listen(path.join(folder, 'alive'))
  await once(server, 'listening')
  await rename(path.join(folder, 'alive'), path.join(folder, name))
  server.close()
  await once(server, 'close')
}

test('an abandoned database ends the statement in progress, so that Ctrl-C does not wait for it', async () => {
  const folder = path.join(await temporaryFolder(), 'abandoned')
  const endless = 'SELECT count(*) FROM generate_series(1, 1000000000000)'
  const work = EmbeddedDatabase.use(folder, pino({ level: 'silent' }), async (connection, abandon) => {
    await connection.query('SELECT 1')
    const failing = expect(connection.query(endless)).rejects.toThrow('the embedded database is closed')
    abandon()
    await failing
    await expect(connection.query('ROLLBACK')).rejects.toThrow()
    throw new Error('abandoned')
  })
  await expect(work).rejects.toThrow('abandoned')
})

describe('the directory lock', () => {
  test('is held by one at a time, and the error names the holder', async () => {
    const folder = await temporaryFolder()
    const release = await holdDirectory(folder)
    await expect(holdDirectory(folder)).rejects.toThrow(`${folder} is in use by process ${process.pid} on `)
    await release()
    const releaseAgain = await holdDirectory(folder)
    await releaseAgain()
    expect(await readdir(folder)).toEqual([])
  })

  test('is free at once when its holder is dead, and the socket of the holder is removed', async () => {
    const folder = await temporaryFolder()
    await leaveDeadSocket(folder, 'lock-000000000000')
    const release = await holdDirectory(folder)
    expect(await readdir(folder)).toHaveLength(1)
    await release()
  })

  test('goes to exactly one of many who find a dead holder at the same time', async () => {
    const folder = await temporaryFolder()
    await leaveDeadSocket(folder, 'lock-000000000000')
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => holdDirectory(folder)))
    const winners = results.filter((result) => result.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    await expect(holdDirectory(folder)).rejects.toThrow('is in use by')
    for (const { value: release } of winners) await release()
  })

  test('is rejected when the path is too long for a socket', async () => {
    const folder = path.join(await temporaryFolder(), 'a'.repeat(100))
    await expect(holdDirectory(folder)).rejects.toThrow(
      'is too long a path to hold a lock: set DATA_DIR to a shorter one',
    )
  })
})

const template = inject('template')

describe.runIf(!onServer)('the embedded database', () => {
  async function freshLocation() {
    const { location, remove } = await copyOf(template)
    onTestFinished(remove)
    return location
  }

  test('is available again when a hanging transaction times out', async () => {
    const database = await openDatabase(await freshLocation())
    onTestFinished(() => database.close())
    const organization = { id: crypto.randomUUID(), name: 'Hanging', createdAt: new Date() }
    const hanging = database.client.$transaction(
      async (db) => {
        await db.organization.create({ data: organization })
        await new Promise(() => {})
      },
      { timeout: 100 },
    )
    hanging.catch(() => {})
    expect(await database.client.organization.count()).toBe(0)
    await database.ping()
  })

  test('sends messages to its listeners again after it failed and was opened again', async () => {
    const { directory = '' } = await freshLocation()
    const database = await openDatabase({ directory }, pino({ level: 'silent' }))
    onTestFinished(() => database.close())
    const events = new EventEmitter()
    const stop = await database.listen('news', {
      onMessage: (payload) => events.emit('message', payload),
      onDisconnect: () => events.emit('disconnect'),
      onReconnect: () => events.emit('reconnect'),
    })
    onTestFinished(stop)
    const disconnected = once(events, 'disconnect')
    const reconnected = once(events, 'reconnect')
    // If PostgreSQL cannot create the next segment of its log, for example on a full disk, it ends itself. Either
    // statement may be the one that needs the segment.
    const log = path.join(directory, 'database/pg_wal')
    await rename(log, `${log}-away`)
    await database.pool.query('SELECT pg_switch_wal()').catch(() => {})
    const organization = { id: crypto.randomUUID(), name: 'Unwritten', createdAt: new Date() }
    await expect(database.client.organization.create({ data: organization })).rejects.toThrow()
    await disconnected
    await rename(`${log}-away`, log)
    await reconnected
    const message = once(events, 'message')
    await database.pool.query(`NOTIFY news, 'there is space'`)
    expect(await message).toEqual(['there is space'])
  })

  test('has up-to-date row statistics soon after a restart', async () => {
    const location = await freshLocation()
    const estimate = async ({ pool }: Database) => {
      const { rows } = await pool.query(`SELECT reltuples FROM pg_class WHERE relname = 'organizations'`)
      return rows[0].reltuples
    }
    const first = await openDatabase(location)
    await first.pool.query(
      `INSERT INTO organizations SELECT gen_random_uuid(), 'Of many', now() FROM generate_series(1, 1000)`,
    )
    expect(await estimate(first)).toBe(-1)
    await first.close()
    const second = await openDatabase(location)
    onTestFinished(() => second.close())
    await expect.poll(() => estimate(second), { timeout: 20_000 }).toBe(1000)
  })
})

test('does not keep returned rows in memory: 300 MB of rows take at most 150 MB of memory', async () => {
  const folder = await temporaryFolder()
  const database = await openDatabase({ directory: folder }, pino({ level: 'silent' }))
  onTestFinished(() => database.close())
  const read = async () => {
    const { rowCount } = await database.pool.query(`SELECT repeat('x', 1000) FROM generate_series(1, 1000)`)
    expect(rowCount).toBe(1_000)
  }
  const readAll = async (megabytes: number) => {
    for (let done = 0; done < megabytes; done += 1) await read()
  }
  // The heap grows to its working size, at times that the garbage collector chooses. Rows that are kept add to it each time.
  const growths: number[] = []
  for (let round = 0; round < 4; round += 1) {
    const before = process.memoryUsage().rss
    await readAll(300)
    growths.push((process.memoryUsage().rss - before) / 1e6)
  }
  expect(Math.min(...growths)).toBeLessThan(150)
})
