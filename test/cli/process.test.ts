// The real command line, beside a running gateway and alone, on both databases.
import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import {
  bootstrapAs,
  build,
  freshSettings,
  runCommand,
  send,
  started,
  temporaryFolder,
  withDatabase,
} from '../support/gateway-process.ts'

// Each test starts up to three processes.
vi.setConfig({ testTimeout: 120_000 })
beforeAll(build, 120_000)

const onEmbedded = test.runIf('directory' in inject('template'))
const create = ['keys', 'create', '--environment', 'Production', '--access', 'admin', '--json']

const nameOf = async (address: string, key: string) =>
  (await send(address, key, '{ environment { name } }')).body.data.environment.name

/** The lines of a log. */
const logLines = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

describe('the command line', () => {
  test('works beside a running gateway, which accepts the key at once', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    const { gateway, address } = await started(settings)
    const { code, stdout, stderr } = await runCommand(settings, create)
    expect(code).toBe(0)
    const { id, key } = JSON.parse(stdout)
    expect(await nameOf(address, key)).toBe('Production')

    const act = { msg: 'API key created', actor: 'command line', key: { id, access: 'admin' } }
    // The process that does it logs it: on a server, the command line itself.
    expect([...logLines(gateway.output()), ...logLines(stderr)].at(-1)).toMatchObject(act)
    expect(gateway.output() + stderr).not.toContain(key)
    await gateway.kill('SIGTERM')
  })

  test('works alone after a gateway was killed', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    const { gateway } = await started(settings)
    await gateway.kill('SIGKILL')
    const { code, stdout } = await runCommand(settings, create)
    expect(code).toBe(0)
    const { key } = JSON.parse(stdout)
    const again = await started(settings)
    expect(await nameOf(again.address, key)).toBe('Production')
    await again.gateway.kill('SIGTERM')
  })

  test('takes no jobs', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    const waiting = `SELECT id, attempt_count, available_at FROM jobs`
    const before = await withDatabase(settings, async (database) => {
      await bootstrapAs(settings, database)
      await database.pool.query(`
        INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
        SELECT id, gen_random_uuid(), 'fan_out', '{}', now(), now(), now() FROM environments`)
      return (await database.pool.query(waiting)).rows
    })
    expect(before).toHaveLength(2)
    expect(await runCommand(settings, ['keys', 'list'])).toMatchObject({ code: 0 })
    const after = await withDatabase(settings, async ({ pool }) => (await pool.query(waiting)).rows)
    expect(after).toEqual(before)
  })

  onEmbedded('creates neither a database nor keys in a wrong folder', async () => {
    const folder = await temporaryFolder()
    const { code, stderr } = await runCommand({ DATA_DIR: folder }, ['keys', 'list'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${folder}/database cannot be read: start the gateway once, or set DATABASE_URL or DATA_DIR as the gateway has it\n`,
    })
    expect(await readdir(folder)).toEqual([])
  })

  test('rejects a key ring that lacks the keys of the database', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    await withDatabase(settings, (database) => bootstrapAs(settings, database))
    await runCommand(settings, create)
    const { code, stderr } = await runCommand({ ...settings, ENCRYPTION_KEYS: newKeyRing() }, create)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('the key ring') })
  })
})
