// Re-encryption: afterwards, only the newest key is needed, and no concurrent change of a secret is lost.
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { encryptedColumns } from '../../src/data/secrets/encryption.ts'
import { ciphertextsOfOtherKeys, pagesOfColumn, replaceCiphertexts } from '../../src/data/secrets/re-encryption.ts'
import { assertKeyRing } from '../../src/domain/secrets/encryption.ts'
import { reencrypt } from '../../src/domain/secrets/re-encryption.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { onServer } from '../support/on-server.ts'
import { openSecretEnvironment } from '../support/secrets.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })

const query = async (sql: string, values: unknown[] = []) => (await world.database.pool.query(sql, values)).rows

let keys = 0
/** A key ring with a new key. It also decrypts what the world has encrypted before. */
function rotated() {
  const [newest, own] = [new Cipher(newKeyRing(`rotated-${(keys += 1)}`)), world.gateway.cipher]
  const decrypt = (secret: string, owner: string) =>
    (secret.startsWith(`${newest.newestKeyId}.`) ? newest : own).decrypt(secret, owner)
  const encrypt = (text: string, owner: string) => newest.encrypt(text, owner)
  return { newest, cipher: { newestKeyId: newest.newestKeyId, encrypt, decrypt } }
}

/** Every secret in clear text, in a fixed order. */
async function secrets(cipher: Pick<Cipher, 'decrypt'>): Promise<string[]> {
  const found: string[] = []
  for (const name of encryptedColumns) {
    const [table = '', column = ''] = name.split('.')
    const rows = await query(
      `SELECT environment_id AS owner, ${column} AS secret FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    for (const { owner, secret } of rows) found.push(`${name} ${cipher.decrypt(secret, owner)}`)
  }
  return found.sort()
}

/** The columns by which rows are found within their environment, unless it is `id`. */
const keyOf: Readonly<Record<string, string>> = {
  address_keys: 'environment_id',
  idempotency_keys: 'key',
  subscriber_credentials: 'provider_id',
}

/** Restores the original ciphertexts. */
let restoreAll: () => Promise<void>
const logged: unknown[][] = []
const logger = { info: (...line: unknown[]) => logged.push(line), warn: (...line: unknown[]) => logged.push(line) }

beforeAll(async () => {
  await openSecretEnvironment(world)
  const saved: [string, string][] = []
  for (const name of encryptedColumns) {
    const [table = ''] = name.split('.')
    if (saved.some(([known]) => known === table)) continue
    const [{ rows }] = await query(`SELECT coalesce(jsonb_agg(t), '[]')::text AS rows FROM ${table} AS t`)
    saved.push([table, rows])
  }
  restoreAll = async () => {
    for (const name of encryptedColumns) {
      const [table = '', column = ''] = name.split('.')
      const rows = saved.find(([known]) => known === table)?.[1]
      const key = keyOf[table] ?? 'id'
      await query(
        `UPDATE ${table} AS t SET ${column} = old.${column} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) AS old
         WHERE t.environment_id = old.environment_id AND t.${key} = old.${key}`,
        [rows],
      )
    }
  }
})
beforeEach(async () => {
  await restoreAll()
  logged.length = 0
})

describe('re-encryption', () => {
  test('rewrites every secret, after which a process starts with the newest key only', async () => {
    const before = await secrets(world.gateway.cipher)
    expect(before.join()).toContain('ENDPOINT-MARK')
    const { newest, cipher } = rotated()
    const columns = await reencrypt({ gateway: { ...world.gateway, cipher }, logger })
    expect(columns.map(({ column }) => column)).toEqual([...encryptedColumns])
    for (const { rewritten, ...rest } of columns) {
      expect(rewritten, rest.column).toBeGreaterThan(0)
      expect(rest).toMatchObject({ undecryptable: 0, missed: 0 })
    }
    expect(await secrets(newest)).toEqual(before)
    await assertKeyRing({ ...world.gateway, cipher: newest })
    expect(logged).toEqual([
      [{ actor: 'command line', encryptionKeyId: newest.newestKeyId, secrets: before.length }, 'secrets re-encrypted'],
    ])
  })

  test('does nothing the second time, and completes an interrupted run', async () => {
    const { newest, cipher } = rotated()
    const gateway = { ...world.gateway, cipher }
    const stopping = new AbortController()
    const stop = () => stopping.abort(new Error('interrupted'))
    await expect(reencrypt({ gateway, logger, signal: stopping.signal, onProgress: stop })).rejects.toThrow(
      'interrupted',
    )
    expect((await reencrypt({ gateway, logger })).length).toBe(encryptedColumns.length)
    await secrets(newest)
    expect((await reencrypt({ gateway, logger })).every(({ rewritten }) => rewritten === 0)).toBe(true)
  })

  test('keeps a secret that was changed after it was read, and rewrites it in the next run', async () => {
    const { newest, cipher } = rotated()
    const { db } = world.gateway
    const [read] = await ciphertextsOfOtherKeys(db, 'channel_endpoints.secret', cipher.newestKeyId, 0)
    if (read === undefined) throw new Error('there is no secret')
    const changed = world.gateway.cipher.encrypt('{"url":"https://chat.example.com/CHANGED"}', read.environmentId)
    await query('UPDATE channel_endpoints SET secret = $1 WHERE secret = $2', [changed, read.ciphertext])
    const replacement = cipher.encrypt('lost', read.environmentId)
    expect(await replaceCiphertexts(db, 'channel_endpoints.secret', [{ ...read, replacement }])).toBe(0)
    await reencrypt({ gateway: { ...world.gateway, cipher }, logger })
    expect(await secrets(newest)).toContain('channel_endpoints.secret {"url":"https://chat.example.com/CHANGED"}')
  })

  test.runIf(onServer)('waits for no transaction that holds a row, and reports the row', async () => {
    const { cipher } = rotated()
    const gateway = { ...world.gateway, cipher }
    const holder = await world.database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM channel_endpoints FOR UPDATE')
    const columns = await reencrypt({ gateway, logger })
    expect(columns.find(({ column }) => column === 'channel_endpoints.secret')).toMatchObject({
      rewritten: 0,
      missed: 1,
    })
    await holder.query('ROLLBACK')
    holder.release()
    expect(await reencrypt({ gateway, logger })).toContainEqual(
      expect.objectContaining({ column: 'channel_endpoints.secret', rewritten: 1, missed: 0 }),
    )
  })

  test('ends although another process keeps encrypting with an older key', async () => {
    // Each time the secret is rewritten, the other process writes it again.
    await query(`CREATE FUNCTION write_again() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN NEW.secret := OLD.secret; RETURN NEW; END'`)
    await query('CREATE TRIGGER older BEFORE UPDATE ON channel_endpoints FOR EACH ROW EXECUTE FUNCTION write_again()')
    onTestFinished(async () => {
      await query('DROP FUNCTION write_again CASCADE')
    })
    const { cipher } = rotated()
    const columns = await reencrypt({ gateway: { ...world.gateway, cipher }, logger })
    expect(columns.find(({ column }) => column === 'channel_endpoints.secret')).toEqual({
      column: 'channel_endpoints.secret',
      rewritten: 10,
      undecryptable: 0,
      missed: 0,
    })
  })

  test('keeps secrets that no key decrypts, and reports the column', async () => {
    const { cipher } = rotated()
    const foreign = new Cipher(newKeyRing('foreign'))
    await query(`UPDATE integrations SET credentials = $1 WHERE identifier = 'chat'`, [foreign.encrypt('{}', 'x')])
    const columns = await reencrypt({ gateway: { ...world.gateway, cipher }, logger })
    expect(columns.find(({ column }) => column === 'integrations.credentials')).toMatchObject({ undecryptable: 1 })
    expect(logged[0]).toEqual([
      { column: 'integrations.credentials', rows: 1 },
      'secrets not re-encrypted: they cannot be decrypted',
    ])
  })

  test('is rejected if a table has rows on other servers', async () => {
    // As on the coordinator of a cluster, the table has rows but no pages of its own.
    await query(`
      ALTER TABLE suppressions RENAME TO here; CREATE TABLE suppressions (LIKE here);
      CREATE TABLE elsewhere () INHERITS (suppressions); INSERT INTO elsewhere SELECT * FROM here`)
    onTestFinished(async () => {
      await query('DROP TABLE elsewhere, suppressions; ALTER TABLE here RENAME TO suppressions')
    })
    await expect(pagesOfColumn(world.gateway.db, 'suppressions.address_cipher')).rejects.toThrow(
      'the column suppressions.address_cipher has rows on other servers',
    )
  })
})
