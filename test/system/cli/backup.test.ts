// backup and restore with real processes: from a running gateway to an empty database elsewhere.
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { readBackupFile } from '../../../src/data/backup/backup-file.ts'
import { IS_RESTORE_MARKED, UNFINISHED_FOLDER } from '../../../src/data/connection/unfinished-restore.ts'
import {
  build,
  freshSettings,
  runCommand,
  send,
  type Settings,
  startCommand,
  started,
  startGateway,
  temporaryFolder,
  until,
} from '../../support/process/gateway-process.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { verified } from '../../support/delivery/webhooks.ts'
import { administer, databaseUrl } from '../../support/prepare.ts'

// Each test starts several processes.
vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const template = inject('template')
const receiver = useReceiver()

const RUNNING = 'another backup is running: try again when it is finished'

const createSubscriber = `mutation { createSubscriber(input: { subscriberId: "ada", phone: "+4912345678" }) { userErrors { message } } }`
const readSubscriber = '{ subscriber(subscriberId: "ada") { phone } }'

/** Settings of a gateway that was never started, on an empty database. */
async function emptySettings(): Promise<Settings & { DATA_DIR: string }> {
  const DATA_DIR = path.join(await temporaryFolder(), 'data')
  if (!('server' in template)) return { DATA_DIR }
  const name = `gateway_restored_${process.pid}`
  await administer(template.server, `CREATE DATABASE ${name}`)
  onTestFinished(() => administer(template.server, `DROP DATABASE ${name} WITH (FORCE)`))
  return { DATABASE_URL: databaseUrl(template.server, name), DATA_DIR }
}

/** Waits until a restore has begun to change the database. */
async function begun({ DATABASE_URL, DATA_DIR }: Settings & { DATA_DIR: string }): Promise<void> {
  await until(async () => {
    if (DATABASE_URL === undefined) return existsSync(path.join(DATA_DIR, UNFINISHED_FOLDER)) || undefined
    const client = new pg.Client(DATABASE_URL)
    await client.connect()
    const { rows } = await client.query(`SELECT ${IS_RESTORE_MARKED} AS marked`).finally(() => client.end())
    return rows[0].marked === true || undefined
  })
}

describe('a backup and its restore', () => {
  test('move a running gateway to another database, with its API keys and data', async () => {
    const settings = await freshSettings()
    const { gateway, address, keys } = await started(settings)
    const [key = ''] = keys
    await send(address, key, createSubscriber)
    const folder = await temporaryFolder()
    const file = path.join(folder, 'gateway.backup')
    const made = await runCommand(settings, ['backup', file, '--json'])
    expect({ code: made.code, files: await readdir(folder) }).toEqual({ code: 0, files: ['gateway.backup'] })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await send(address, key, readSubscriber)).toMatchObject({ status: 200 })

    const elsewhere = await emptySettings()
    const withoutKeys = await runCommand(elsewhere, ['restore', file])
    expect(withoutKeys).toMatchObject({ code: 1, stderr: expect.stringContaining('the key ring lacks the key') })
    await mkdir(elsewhere.DATA_DIR, { recursive: true })
    await copyFile(path.join(settings.DATA_DIR, 'encryption-keys'), path.join(elsewhere.DATA_DIR, 'encryption-keys'))
    const restored = await runCommand(elsewhere, ['restore', file, '--json'])
    expect(restored.code, restored.stderr).toBe(0)
    expect(restored.stderr).toContain('"actor":"command line"')
    expect(JSON.parse(restored.stdout).tables).toEqual(JSON.parse(made.stdout).tables)
    const again = await started(elsewhere)
    expect(again.keys).toEqual([])
    expect((await send(again.address, key, readSubscriber)).body.data.subscriber).toEqual({ phone: '+4912345678' })
    expect(await runCommand(elsewhere, ['restore', file])).toMatchObject({ code: 1 })
    await gateway.kill('SIGTERM')
    await again.gateway.kill('SIGTERM')
  })

  test('keep the secrets of webhook subscriptions and the addresses of suppressions usable', async () => {
    const open = { ALLOW_PRIVATE_ADDRESSES: 'on' }
    const settings = { ...(await freshSettings()), ...open }
    const { gateway, address, keys } = await started(settings)
    const [key = ''] = keys
    const suppress = `mutation {
      createSuppression(input: { channel: EMAIL, address: "ada@example.com" }) { userErrors { message } }
    }`
    expect((await send(address, key, suppress)).body.data.createSuppression.userErrors).toEqual([])
    const { body: subscribed } = await send(
      address,
      key,
      `mutation {
        createWebhookSubscription(input: {
          identifier: "crm", url: "${receiver.url}/crm", eventTypes: [SUBSCRIBER_CREATED]
        }) { secret }
      }`,
    )
    const file = path.join(await temporaryFolder(), 'gateway.backup')
    expect(await runCommand(settings, ['backup', file])).toMatchObject({ code: 0 })
    await gateway.kill('SIGTERM')
    const elsewhere = { ...(await emptySettings()), ...open }
    await mkdir(elsewhere.DATA_DIR, { recursive: true })
    await copyFile(path.join(settings.DATA_DIR, 'encryption-keys'), path.join(elsewhere.DATA_DIR, 'encryption-keys'))
    expect(await runCommand(elsewhere, ['restore', file])).toMatchObject({ code: 0 })
    const again = await started(elsewhere)
    await send(
      again.address,
      key,
      'mutation { sendTestWebhook(input: { identifier: "crm" }) { userErrors { message } } }',
    )
    const request = await until(() => Promise.resolve(receiver.received[0]))
    expect(verified(subscribed.data.createWebhookSubscription.secret, request)).toMatchObject({ isTest: true })
    // The address is found by its hash, and shown decrypted.
    const found = '{ suppressions(filter: { address: "ada@example.com" }) { nodes { address } } }'
    const { body } = await send(again.address, key, found)
    expect(body.data.suppressions.nodes).toEqual([{ address: 'ada@example.com' }])
    await again.gateway.kill('SIGTERM')
  })

  test('a database of an interrupted restore is not served by a gateway, and the restore can be repeated', async () => {
    const settings = await freshSettings()
    const { gateway, address, keys } = await started(settings)
    const [key = ''] = keys
    await send(address, key, createSubscriber)
    const file = path.join(await temporaryFolder(), 'gateway.backup')
    expect(await runCommand(settings, ['backup', file])).toMatchObject({ code: 0 })
    await gateway.kill('SIGTERM')
    const elsewhere = await emptySettings()
    await mkdir(elsewhere.DATA_DIR, { recursive: true })
    await copyFile(path.join(settings.DATA_DIR, 'encryption-keys'), path.join(elsewhere.DATA_DIR, 'encryption-keys'))

    const interrupted = startCommand(elsewhere, ['restore', file])
    await begun(elsewhere)
    interrupted.child.kill('SIGINT')
    expect(await interrupted.ended).toMatchObject({
      code: 130,
      // On a busy machine, a line with the progress comes first.
      stderr: expect.stringMatching(
        /^(?:\[.*\n)?interrupted: nothing was restored, and the database has no rows\. Run .*\n$/,
      ),
    })

    const killed = startCommand(elsewhere, ['restore', file])
    await begun(elsewhere)
    killed.child.kill('SIGKILL')
    await killed.ended
    const refused = startGateway(elsewhere)
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toContain('run restore again')

    expect(await runCommand(elsewhere, ['restore', file])).toMatchObject({ code: 0 })
    const again = await started(elsewhere)
    expect((await send(again.address, key, readSubscriber)).body.data.subscriber).toEqual({ phone: '+4912345678' })
    await again.gateway.kill('SIGTERM')
  })

  test('one of two concurrent backups to one file reports that the other is running, and the file is complete', async () => {
    const settings = await freshSettings()
    const { gateway } = await started(settings)
    const folder = await temporaryFolder()
    const file = path.join(folder, 'gateway.backup')
    const refusals: string[] = []
    // A command that starts late finds that the other has finished, so it takes a few rounds to see three that overlap.
    for (let round = 0; round < 20 && refusals.length < 3; round += 1) {
      const both = [runCommand(settings, ['backup', file]), runCommand(settings, ['backup', file])]
      const ended = await Promise.all(both)
      expect(ended.map(({ code }) => code)).toContain(0)
      refusals.push(...ended.flatMap(({ code, stderr }) => (code === 0 ? [] : [stderr])))
      await readBackupFile(file, {})
      expect(await readdir(folder)).toEqual(['gateway.backup'])
    }
    expect(refusals).not.toEqual([])
    for (const stderr of refusals) expect(stderr).toContain(RUNNING)
    await gateway.kill('SIGTERM')
    const elsewhere = await emptySettings()
    await mkdir(elsewhere.DATA_DIR, { recursive: true })
    await copyFile(path.join(settings.DATA_DIR, 'encryption-keys'), path.join(elsewhere.DATA_DIR, 'encryption-keys'))
    expect(await runCommand(elsewhere, ['restore', file])).toMatchObject({ code: 0 })
  })

  test('move the embedded database to a server, if the tests run on one', async ({ skip }) => {
    if (!('server' in template)) return skip('needs TEST_DATABASE_URL')
    const DATA_DIR = path.join(await temporaryFolder(), 'data')
    const { gateway, address, keys } = await started({ DATA_DIR })
    const [key = ''] = keys
    await send(address, key, createSubscriber)
    const file = path.join(await temporaryFolder(), 'gateway.backup')
    expect(await runCommand({ DATA_DIR }, ['backup', file])).toMatchObject({ code: 0 })
    await gateway.kill('SIGTERM')
    const server = { ...(await emptySettings()), DATA_DIR }
    expect(await runCommand(server, ['restore', file])).toMatchObject({ code: 0 })
    const again = await started(server)
    expect((await send(again.address, key, readSubscriber)).body.data.subscriber).toEqual({ phone: '+4912345678' })
    await again.gateway.kill('SIGTERM')
  })
})
