// The real command line, next to a running gateway and alone, on both databases.
import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { newKeyRing } from '../../../src/lib/cipher.ts'
import {
  bootstrapAs,
  build,
  freshSettings,
  runCommand,
  send,
  startCommand,
  started,
  temporaryFolder,
  until,
  withDatabase,
} from '../../support/process/gateway-process.ts'

// Each test starts up to three processes.
vi.setConfig({ testTimeout: 120_000 })
beforeAll(build, 120_000)

const inEmbedded = 'directory' in inject('template')
const onEmbedded = test.runIf(inEmbedded)
const ENDED = 'the running process ended before the command\n'
const create = ['keys', 'create', '--environment', 'Production', '--access', 'admin', '--json']

const nameOf = async (address: string, key: string) =>
  (await send(address, key, '{ environment { name } }')).body.data.environment.name

const countOf = async (address: string, key: string) =>
  (await send(address, key, '{ subscribers { totalCount } }')).body.data.subscribers.totalCount

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
    // The process that executes the command logs it. On a server, that is the command line itself.
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
      stderr: `${folder}/database does not exist: start the gateway once, or set DATABASE_URL or DATA_DIR as the gateway has it\n`,
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

  test('repeats an import that a kill of the gateway or of the command line interrupted', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    const { gateway, address, keys } = await started(settings)
    const [key = ''] = keys
    const lines = Array.from({ length: 1_500 }, (_, index) => `user-${index}\n`)
    const importing = ['import', 'subscribers', '--environment', 'Development', '--json']

    const first = startCommand(settings, importing)
    first.child.stdin.write(`subscriberId\n${lines.slice(0, 700).join('')}`)
    await until(async () => ((await countOf(address, key)) === 500 ? true : undefined))
    first.child.kill('SIGKILL')
    expect((await first.ended).code).toBe('SIGKILL')
    expect(await nameOf(address, key)).toBe('Development')

    const second = startCommand(settings, importing)
    second.child.stdin.write(`subscriberId\n${lines.slice(0, 1_200).join('')}`)
    await until(async () => ((await countOf(address, key)) === 1_000 ? true : undefined))
    await gateway.kill('SIGKILL')
    second.child.stdin.end(lines.slice(1_200).join(''))
    const { code, stdout, stderr } = await second.ended
    // On a server, the command line needs no gateway.
    if (inEmbedded) expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: ENDED })
    else expect(code).toBe(0)

    const third = await runCommand(settings, importing, `subscriberId\n${lines.join('')}`)
    expect(third.code).toBe(0)
    const { created, updated, failed } = JSON.parse(third.stdout)
    expect({ all: Number(created) + Number(updated), failed }).toEqual({ all: 1_500, failed: 0 })
  })

  test('ends with one line if its output is closed', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    await withDatabase(settings, (database) => bootstrapAs(settings, database))
    const { child, ended } = startCommand(settings, ['export', 'subscribers', '--environment', 'Development'])
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 1, stderr: 'the output was closed by its reader\n' })
  })
})
