// doctor: finds the problems of an installation, and changes nothing.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { newKeyRing } from '../../../src/lib/cipher.ts'
import {
  build,
  freshSettings,
  runCommand,
  send,
  type Settings,
  started,
  temporaryFolder,
  withDatabase,
} from '../../support/process/gateway-process.ts'
import { freePort, portOf } from '../../support/process/port.ts'

// Each test starts several processes.
vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const template = inject('template')

async function findingsOf(settings: Settings): Promise<{ code: number | null; findings: Record<string, string> }> {
  const { code, stdout, stderr } = await runCommand(settings, ['doctor', '--json'])
  if (stdout === '') throw new Error(stderr)
  const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; message: string }[] }
  return {
    code: Number(code),
    findings: Object.fromEntries(findings.map(({ check, status, message }) => [check, `${status}: ${message}`])),
  }
}

describe('doctor', () => {
  test('finds no problem in a new installation, and later the providers that cannot be reached', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    const { gateway, address, keys } = await started(settings)
    const listening = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(listening, 'listening')
    const port = Number(await freePort())
    const create = `mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { userErrors { message } } }`
    const integrations = [
      { identifier: 'mail', providerId: 'NODEMAILER', credentials: { host: '127.0.0.1', port, from: 'a@example.com' } },
      {
        identifier: 'texts',
        providerId: 'TWILIO',
        credentials: {
          accountSid: 'a',
          token: 'SECRET-MARK',
          from: '+1',
          baseUrl: `http://127.0.0.1:${portOf(listening)}`,
        },
      },
    ]
    for (const input of integrations) {
      expect((await send(address, keys[0] ?? '', create, { input })).body.data.createIntegration.userErrors).toEqual([])
    }
    await gateway.kill('SIGTERM')

    const allowed = await findingsOf({ ...settings, ALLOW_PRIVATE_ADDRESSES: 'on' })
    expect(allowed.code).toBe(1)
    expect(allowed.findings).toMatchObject({
      configuration: 'ok: every setting is valid',
      database: expect.stringMatching(/^ok: PostgreSQL \d+/),
      rights: expect.stringMatching(/^ok/),
      migrations: 'ok: none is missing',
      clock: 'ok: agrees with the database',
      'encryption keys': expect.stringMatching(/^ok/),
      disk: 'ok: has space',
      'provider nodemailer': expect.stringMatching(
        /^problem: 127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED.*check the network/,
      ),
      'provider twilio': `ok: 127.0.0.1:${portOf(listening)} can be reached`,
    })
    expect(JSON.stringify(allowed.findings)).not.toContain('SECRET-MARK')
    // According to the rules for deliveries.
    const denied = await findingsOf(settings)
    expect(denied.findings['provider twilio']).toMatch(/^problem: /)
    await withDatabase(settings, (database) => database.pool.query('DELETE FROM integrations'))
    expect((await findingsOf(settings)).code).toBe(0)
    listening.close()
  })

  test('says that unsubscribe links and headers are absent without an https BASE_URL, as the gateway does', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing() }
    const { gateway, address, keys } = await started(settings)
    const create = `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }`
    const body = '<a href="{{ unsubscribe.url }}">Unsubscribe</a>'
    const input = { identifier: 'news', name: 'News', steps: [{ email: { subject: 'News', body } }] }
    const linksOf = async (more: Settings = {}) =>
      (await findingsOf({ ...settings, ...more })).findings['unsubscribe links']
    expect(await linksOf()).toMatch(
      /^ok: are in no template, and emails have no List-Unsubscribe header: .*set BASE_URL/,
    )
    expect((await send(address, keys[0] ?? '', create, { input })).body.data.createWorkflow.userErrors).toEqual([])
    const absent =
      /^warning: of 1 workflows are empty, and emails have no List-Unsubscribe header: set BASE_URL to an https/
    expect(await linksOf()).toMatch(absent)
    await gateway.kill('SIGTERM')
    // Without a running gateway, whose settings would decide.
    expect(await linksOf({ BASE_URL: 'http://gateway.example' })).toMatch(absent)
    const https = 'https://gateway.example'
    expect(await linksOf({ BASE_URL: https })).toBe(`ok: lead to ${https}`)
    const again = await started(settings)
    await again.gateway.prints(/unsubscribe links are empty: set BASE_URL to an https address/)
    await again.gateway.kill('SIGTERM')
  })

  test('names a key ring that does not fit, and a misspelled setting', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing('first') }
    const { gateway } = await started(settings)
    await gateway.kill('SIGTERM')
    const { code, findings } = await findingsOf({
      ...settings,
      ENCRYPTION_KEYS: newKeyRing('other'),
      RATE_LIMITS: 'off',
    })
    expect(code).toBe(1)
    expect(findings['gateway']).toContain('the key ring lacks the key "first"')
    expect(findings['configuration']).toBe(
      'warning: RATE_LIMITS is not read: rename it to RATE_LIMIT if that is meant, or remove it',
    )
  })

  test('names a database that cannot be opened', async () => {
    const folder = await temporaryFolder()
    const settings: Settings =
      'server' in template
        ? { DATABASE_URL: `postgresql://ada:secret@127.0.0.1:${await freePort()}/gateway`, DATA_DIR: folder }
        : { DATA_DIR: folder }
    const { code, findings } = await findingsOf(settings)
    expect(code).toBe(1)
    expect(findings['database']).toMatch(/^problem: .*(cannot be opened|does not exist)/)
    expect(JSON.stringify(findings)).not.toContain('secret')
    expect(await readdir(folder)).toEqual([])
  })

  test('beside a running gateway finds different keys, waiting jobs, and recent failures', async () => {
    const settings = { ...(await freshSettings()), ENCRYPTION_KEYS: newKeyRing('first') }
    const { gateway } = await started(settings)
    const inOrder = await findingsOf(settings)
    expect(inOrder).toMatchObject({
      code: 0,
      findings: {
        'encryption keys': expect.stringMatching(/^ok/),
        queue: expect.stringMatching(/^ok/),
        failures: 'ok: none in the last hour',
        workflows: 'ok: none is suspended',
        backup: 'ok: the command backup has written none',
      },
    })
    if ('server' in template) {
      expect(inOrder.findings).toMatchObject({
        connections: expect.stringMatching(/^(ok|warning): \d+ of \d+ are in use/),
        pooler: 'ok: no pooler in transaction mode',
      })
    }
    const other = await findingsOf({ ...settings, ENCRYPTION_KEYS: newKeyRing('other') })
    expect(other.code).toBe(1)
    expect(JSON.stringify(other.findings)).toMatch(/problem: .*lacks the key .*first/)
    // The gateway's keys are not set here: once without a key file, once with a different one.
    const { ENCRYPTION_KEYS: _keys, ...without } = settings
    const keyFile = path.join(settings.DATA_DIR, 'encryption-keys')
    expect(await findingsOf(without)).toMatchObject({ code: 1 })
    expect(existsSync(keyFile)).toBe(false)
    await mkdir(settings.DATA_DIR, { recursive: true })
    await writeFile(keyFile, newKeyRing('other'))
    const wrongFile = await findingsOf(without)
    expect(wrongFile.code).toBe(1)
    expect(JSON.stringify(wrongFile.findings)).toMatch(/problem: .*lacks the key .*first/)
    expect(await runCommand(settings, ['backup', `${settings.DATA_DIR}/backup`])).toMatchObject({ code: 0 })
    await gateway.kill('SIGTERM')

    await withDatabase(settings, async ({ pool }) => {
      const environment = `(SELECT id FROM environments WHERE name = 'Production')`
      await pool.query(`
        INSERT INTO workflows (environment_id, id, identifier, name, critical, severity, tags, data, created_at, updated_at)
        VALUES (${environment}, gen_random_uuid(), 'slow', 'Slow', false, 'none', '{}', '{}', now(), now())`)
      await pool.query(`
        INSERT INTO workflow_suspensions (environment_id, workflow_id, version, stopped_at, reason, suspended_at)
        SELECT environment_id, id, updated_at, '{}', 'too slow', now() FROM workflows WHERE identifier = 'slow'`)
      await pool.query(`
        INSERT INTO message_statistics (environment_id, granularity, dimension, starts_at, name, channel, sent, failed,
                                        cancelled, skipped, failed_attempts, failed_delivery_id)
        SELECT ${environment}, 'minute', dimension::"StatisticsDimension", date_trunc('minute', now()), name, 'email',
               1, 20, 0, 0, 30, gen_random_uuid()
        FROM (VALUES ('workflow', 'slow'), ('integration', 'mail')) AS counted(dimension, name)`)
      await pool.query(`
        INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
        SELECT ${environment}, gen_random_uuid(), 'fan_out', '{}', at, at, at FROM (SELECT now() - interval '5 minutes' AS at) AS past`)
    })
    const { code, findings } = await findingsOf(settings)
    expect(code).toBe(1)
    expect(findings).toMatchObject({
      queue: expect.stringMatching(/^problem: jobs wait: 1 events for up to 3\d\d s: start the gateway/),
      failures: expect.stringMatching(/^problem: in the last hour, 20 messages, 0 runs and 0 events failed/),
      workflows: expect.stringMatching(/^problem: 1 suspended: slow/),
      'integration mail': expect.stringMatching(/^problem: in Production, 30 attempts failed and 1 messages were sent/),
      backup: expect.stringMatching(/^ok: the last one is of 20/),
    })
  })

  test.runIf('server' in template)(
    'names a replica that is not a replica of the database (needs TEST_DATABASE_URL)',
    async () => {
      const settings = await freshSettings()
      const { gateway } = await started(settings)
      const { code, findings } = await findingsOf({ ...settings, DATABASE_READ_URL: settings['DATABASE_URL'] ?? '' })
      expect(code).toBe(1)
      expect(findings['replica']).toMatch(/^problem: DATABASE_READ_URL is not a streaming replica/)
      await gateway.kill('SIGTERM')
    },
  )
})
