// Two gateways behind PgBouncer in transaction mode. Needs TEST_DATABASE_URL, PgBouncer and, to run it, the user postgres.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import {
  build,
  runCommand,
  send,
  started,
  startGateway,
  temporaryFolder,
  until,
} from '../support/process/gateway-process.ts'
import { freePort } from '../support/process/port.ts'
import { postgresUser, type ProcessUser } from '../support/process/postgres-user.ts'
import { administer, databaseUrl } from '../support/prepare.ts'

vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const template = inject('template')
const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0
const isPossible = 'server' in template && isInstalled && postgresUser !== undefined
const user: ProcessUser = postgresUser ?? {}

/** Starts PgBouncer in transaction mode in front of a database, with fewer connections than its clients use. */
async function startPooler(direct: URL): Promise<{ url: string; reconnect: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-pooler-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const port = await freePort()
  const [config, users] = [path.join(folder, 'pgbouncer.ini'), path.join(folder, 'users.txt')]
  await writeFile(users, `"${direct.username}" "${direct.password}"\n`)
  await writeFile(
    config,
    `[databases]
* = host=${direct.hostname} port=${direct.port || '5432'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
admin_users = ${direct.username}
pool_mode = transaction
default_pool_size = 4
`,
  )
  if (user.uid !== undefined) for (const file of [folder, config, users]) await chown(file, user.uid, user.gid)
  const child = spawn('pgbouncer', [config], { ...user, stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const url = new URL(direct)
  url.host = `127.0.0.1:${port}`
  const admin = new URL(url)
  admin.pathname = '/pgbouncer'
  const reconnect = () => administer(admin.href, 'RECONNECT')
  await until(() => reconnect().then(() => true))
  return { url: url.href, reconnect }
}

/** A database with an owner of its own, whose settings the test can change. */
async function ownedDatabase(server: string): Promise<URL> {
  const name = `gateway_pooled_${process.pid}`
  await administer(server, `CREATE ROLE ${name} LOGIN PASSWORD 'secret'`)
  await administer(server, `CREATE DATABASE ${name} OWNER ${name}`)
  onTestFinished(async () => {
    await administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
    await administer(server, `DROP ROLE ${name}`)
  })
  const url = new URL(databaseUrl(server, name))
  url.username = name
  url.password = 'secret'
  return url
}

describe.runIf(isPossible)('behind PgBouncer in transaction mode (needs TEST_DATABASE_URL and pgbouncer)', () => {
  test('two gateways write, search, deliver and notify each other, once the database user has the settings', async () => {
    if (!('server' in template)) return
    const direct = await ownedDatabase(template.server)
    const pooler = await startPooler(direct)
    const settings = {
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: direct.href,
      DATABASE_STATEMENTS: 'unnamed',
      DATA_DIR: await temporaryFolder(),
      ENCRYPTION_KEYS: newKeyRing(),
    }
    await administer(template.server, `ALTER ROLE ${direct.username} SET TimeZone = 'Europe/Berlin'`)
    await pooler.reconnect()
    const wrong = startGateway(settings)
    expect(await wrong.ended).toBe(1)
    const remedy = /TimeZone is Europe\/Berlin, not UTC; statement_timeout is 0.* Run: (.*;) Then reconnect/
    const [, statements = ''] = remedy.exec(wrong.output()) ?? []
    expect(statements.match(/ALTER ROLE/g)).toHaveLength(3)
    for (const statement of statements.split(';').filter((part) => part !== '')) {
      await administer(template.server, statement)
    }
    await pooler.reconnect()

    const undeclared = startGateway({ ...settings, DATABASE_DIRECT_URL: '' })
    expect(await undeclared.ended).toBe(1)
    expect(undeclared.output()).toContain('which is a pooler: set DATABASE_DIRECT_URL')

    const first = await started(settings)
    const second = await started(settings)
    const [key = ''] = first.keys
    const workflow = `mutation { createWorkflow(input: { identifier: "hello", name: "Hello", steps: [{ inApp: { body: "Hello" } }] }) { userErrors { message } } }`
    expect((await send(first.address, key, workflow)).body.errors).toBeUndefined()
    const trigger = `mutation ($id: String!) { triggerEvent(input: { workflowIdentifier: "hello", to: [{ subscriber: { subscriberId: $id } }] }) { userErrors { message } } }`
    const search = `query ($name: String!) { subscribers(filter: { search: $name }) { totalCount } }`
    // More requests at a time than the pooler has connections, so that consecutive statements use different ones.
    const ids = Array.from({ length: 200 }, (_, index) => `person-${index}`)
    const answers = await Promise.all(
      ids.flatMap((id, index) => {
        const { address } = index % 2 === 0 ? first : second
        return [send(address, key, trigger, { id }), send(address, key, search, { name: 'person' })]
      }),
    )
    expect(answers.flatMap(({ body }) => body.errors ?? [])).toEqual([])
    const feed = 'query ($id: String!) { subscriber(subscriberId: $id) { notifications { nodes { body } } } }'
    for (const id of ids) {
      await until(async () => {
        const { body } = await send(second.address, key, feed, { id })
        return body.data.subscriber?.notifications.nodes.length === 1 ? true : undefined
      })
    }

    // The doctor detects the pooler, and that it does not keep statements.
    const poolerFinding = async (changed: Record<string, string>) => {
      const { stdout } = await runCommand({ ...settings, ...changed }, ['doctor', '--json'])
      const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; message: string }[] }
      return findings.find(({ check }) => check === 'pooler')
    }
    expect(await poolerFinding({})).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('transaction mode'),
    })
    expect(await poolerFinding({ DATABASE_STATEMENTS: 'named' })).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('set DATABASE_STATEMENTS=unnamed'),
    })

    // A key revoked in one process stops working in the other one, which is notified over the direct connection.
    const made = await runCommand(settings, ['keys', 'create', '--environment', 'Development', '--json'])
    expect(made.code, made.stderr).toBe(0)
    const { id, key: extra } = JSON.parse(made.stdout)
    expect((await send(second.address, extra, '{ environment { name } }')).status).toBe(200)
    expect(await runCommand(settings, ['keys', 'revoke', id])).toMatchObject({ code: 0 })
    await until(async () =>
      (await send(second.address, extra, '{ environment { name } }')).status === 401 ? true : undefined,
    )
    expect(await runCommand(settings, ['backup', path.join(settings.DATA_DIR, 'backup')])).toMatchObject({ code: 0 })
    expect(await runCommand(settings, ['reencrypt'])).toMatchObject({ code: 0 })
    for (const { gateway } of [first, second]) {
      expect(await gateway.kill('SIGTERM')).toBe(0)
      // The test itself uses a revoked key.
      const lines = gateway
        .output()
        .split('\n')
        .filter((line) => !line.includes('"API keys rejected"'))
      expect(lines.join('\n')).not.toMatch(/"level":[456]0/)
    }
  })
})
