// Commands in an installation with several databases: each works on all of them, or on the one that is named.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLineOf } from '../support/command-line.ts'
import { done } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ databases: ['eu'] })
const run = commandLineOf(world)
let folder: string
let client: Client

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'databases-'))
  const { newApiKey } = await done(
    world.development,
    'createEnvironment',
    { name: 'Europe', color: '#059669', database: 'eu' },
    'newApiKey { key }',
  )
  client = world.client(newApiKey.key)
  await done(client, 'upsertSubscriber', { subscriberId: 'ada' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('backup asks which database, if there are several', async () => {
  const file = path.join(folder, 'all.backup')
  const { code, stderr } = await run(['backup', file])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('database is required, because this installation has several: one of main, eu'),
  })
})

test.each([
  ['main', 0],
  ['eu', 1],
])('backup --database %s writes the rows of that database', async (name, subscribers) => {
  const { code, stdout } = await run(['backup', '--database', name, path.join(folder, `${name}.backup`), '--json'])
  expect(code).toBe(0)
  const { tables } = JSON.parse(stdout) as { tables: { name: string; rows: number }[] }
  expect(tables.find((table) => table.name === 'subscribers')?.rows).toBe(subscribers)
})

test('a database that does not exist is an error that lists the others', async () => {
  const { code, stderr } = await run(['backup', '--database', 'mars', path.join(folder, 'mars.backup')])
  expect(code).not.toBe(0)
  expect(stderr).toContain('database must be one of main, eu')
})

test('reencrypt includes all databases', async () => {
  const { code, stdout } = await run('reencrypt')
  expect(code).toBe(0)
  expect(stdout).toContain('eu: ')
})

test('a command for an environment works on its database', async () => {
  const { code, stdout } = await run('export subscriber ada --environment Europe')
  expect({ code, found: stdout.includes('"ada"') }).toEqual({ code: 0, found: true })
})
