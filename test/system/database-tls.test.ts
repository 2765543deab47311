// Encrypted connections to PostgreSQL. Needs the programs of a PostgreSQL server, openssl and, for root, the user postgres.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import {
  build,
  runCommand,
  send,
  type Settings,
  startGateway,
  started,
  temporaryFolder,
  until,
} from '../support/process/gateway-process.ts'
import { createAuthority, createCertificate, hasOpenssl } from '../support/process/certificates.ts'
import { createFolder, rowsOf, serverRefusal, startPrimary, startReplica } from '../support/process/postgres-server.ts'
import { openProxy } from '../support/process/proxy.ts'

vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

const ADDRESS = '127.0.0.1'

/** The access rules of a server: nobody without encryption, and one user with a certificate only. */
const accessRules = `hostssl all certified ${ADDRESS}/32 cert
hostssl all,replication all ${ADDRESS}/32 trust
`

/** A server that admits encrypted connections only, and the files of its certificates. */
async function startEncrypted() {
  const folder = createFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const authority = createAuthority(folder, 'authority')
  const stranger = createAuthority(folder, 'stranger')
  const { certificate, key } = createCertificate(folder, authority, { name: 'server', address: ADDRESS })
  const client = createCertificate(folder, authority, { name: 'certified' })
  const configuration = `ssl = on
ssl_cert_file = '${certificate}'
ssl_key_file = '${key}'
ssl_ca_file = '${authority.certificate}'
`
  const parameters = { sslmode: 'verify-full', sslrootcert: authority.certificate }
  const primary = await startPrimary({ configuration, accessRules, parameters })
  return { primary, stranger, client, folder }
}

/** A URL with other parameters. */
function withParameters(url: string, parameters: Readonly<Record<string, string>>, username?: string): string {
  const changed = new URL(url)
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value)
  if (username !== undefined) changed.username = username
  return changed.href
}

/** The findings of `doctor` by their check. */
async function findingsOf(settings: Settings): Promise<Record<string, string>> {
  const { stdout } = await runCommand(settings, ['doctor', '--json'])
  const { findings }: { findings: { check: string; status: string; message: string }[] } = JSON.parse(stdout)
  return Object.fromEntries(findings.map(({ check, status, message }) => [check, `${status}: ${message}`]))
}

/** Whether the connections to a server, other than the one that asks, are encrypted. */
async function encryptedConnections(url: string): Promise<unknown[]> {
  const rows = await rowsOf(
    url,
    `SELECT DISTINCT ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  return rows.map(({ ssl }) => ssl)
}

const missing = [serverRefusal, hasOpenssl ? undefined : 'openssl is not installed'].filter((one) => one !== undefined)
const where = missing.length === 0 ? 'TLS to PostgreSQL' : `TLS to PostgreSQL (impossible here: ${missing.join()})`

describe.runIf(missing.length === 0)(where, () => {
  test('encrypts the pool, LISTEN, migrations, the replica and backups, and doctor says so', async () => {
    const { primary } = await startEncrypted()
    const replica = await startReplica(primary)
    const settings = {
      DATABASE_URL: primary.url,
      DATABASE_READ_URL: replica.url,
      DATA_DIR: await temporaryFolder(),
      ENCRYPTION_KEYS: newKeyRing(),
    }
    const { gateway, address, keys } = await started(settings)
    await gateway.prints(/"msg":"read replica in use"/)
    const { body } = await send(address, keys[0] ?? '', '{ environment { name } }')
    expect(body).toEqual({ data: { environment: { name: 'Development' } } })
    // The servers admit no others.
    for (const { url } of [primary, replica]) expect(await encryptedConnections(url)).toEqual([true])

    const file = path.join(await temporaryFolder(), 'backup.gz')
    expect(await runCommand(settings, ['backup', file])).toMatchObject({ code: 0 })
    expect(await findingsOf(settings)).toMatchObject({
      'encryption of DATABASE_URL': expect.stringMatching(/^ok: TLSv1\.\d, and the certificate is verified$/),
      'encryption of DATABASE_READ_URL': expect.stringMatching(/^ok: TLSv1/),
    })
    const unverified = withParameters(primary.url, { sslmode: 'no-verify', sslrootcert: '' })
    expect(await findingsOf({ ...settings, DATABASE_URL: unverified })).toMatchObject({
      'encryption of DATABASE_URL': expect.stringMatching(/^warning: .*the certificate is not verified/),
    })
  })

  test('presents the certificate of a client', async () => {
    const { primary, client } = await startEncrypted()
    await rowsOf(primary.url, 'CREATE ROLE certified LOGIN')
    await rowsOf(primary.url, 'GRANT ALL ON SCHEMA public TO certified')
    await rowsOf(primary.url, 'GRANT CREATE ON DATABASE postgres TO certified')
    const parameters = { sslcert: client.certificate, sslkey: client.key }
    const settings = { DATA_DIR: await temporaryFolder(), ENCRYPTION_KEYS: newKeyRing() }
    await started({ ...settings, DATABASE_URL: withParameters(primary.url, parameters, 'certified') })
    const users = await rowsOf(primary.url, `SELECT DISTINCT client_dn FROM pg_stat_ssl WHERE client_dn IS NOT NULL`)
    expect(users).toEqual([{ client_dn: '/CN=certified' }])
  })

  test('rejects a server whose certificate is of another authority or for another name, and says so', async () => {
    const { primary, stranger, folder } = await startEncrypted()
    const settings = { DATA_DIR: await temporaryFolder(), ENCRYPTION_KEYS: newKeyRing() }
    const reasonOf = async (url: string) => {
      const gateway = startGateway({ ...settings, DATABASE_URL: url })
      expect(await gateway.ended).toBe(1)
      return gateway.output()
    }
    const otherAuthority = withParameters(primary.url, { sslrootcert: stranger.certificate })
    const advice = 'because its certificate is not trusted: check sslrootcert and the host name in the URL'
    expect(await reasonOf(otherAuthority)).toContain(advice)
    expect((await findingsOf({ ...settings, DATABASE_URL: otherAuthority }))['database']).toContain(advice)
    expect(await reasonOf(primary.url.replace(ADDRESS, 'localhost'))).toContain(advice)

    const absent = withParameters(primary.url, { sslrootcert: path.join(folder, 'absent.pem') })
    expect(await reasonOf(absent)).toContain('a certificate in its URL cannot be read')
    const plain = primary.url.slice(0, primary.url.indexOf('?'))
    expect(await reasonOf(plain)).toContain('no encryption')
  })

  test('answers with 503 while the address leads to a server whose certificate is not trusted', async () => {
    const [{ primary }, other] = [await startEncrypted(), await startEncrypted()]
    const proxy = await openProxy(primary.url)
    onTestFinished(() => proxy.close())
    const settings = { DATA_DIR: await temporaryFolder(), ENCRYPTION_KEYS: newKeyRing() }
    const { gateway, address, keys } = await started({ ...settings, DATABASE_URL: proxy.url })
    const statusOf = async () => (await send(address, keys[0] ?? '', '{ environment { name } }')).status
    proxy.cut()
    proxy.lead(other.primary.url)
    proxy.mend()
    await until(async () => ((await fetch(`${address}/ready`)).status === 503 ? true : undefined))
    expect(await statusOf()).toBe(503)
    proxy.cut()
    proxy.lead(primary.url)
    proxy.mend()
    await until(async () => ((await statusOf()) === 200 ? true : undefined))
    expect(gateway.output()).not.toMatch(/"level":[56]0/)
  })
})
