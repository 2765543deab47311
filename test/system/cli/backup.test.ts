// backup and restore with real processes: from a running gateway to an empty database elsewhere.
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import {
  build,
  freshSettings,
  runCommand,
  send,
  type Settings,
  started,
  temporaryFolder,
} from '../../support/gateway-process.ts'
import { administer, databaseUrl } from '../../support/prepare.ts'

// Each test starts several processes.
vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const template = inject('template')

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

describe('the whole way', () => {
  test('from a running gateway to another database, where its API keys work and its data is', async () => {
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

  test('from the embedded database to a server, if the tests run on one', async ({ skip }) => {
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
