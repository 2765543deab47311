// The key ring: at startup it must have the key of every secret in the database.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encryptedColumns } from '../../src/data/secrets/encryption.ts'
import { assertKeyRing } from '../../src/domain/secrets/encryption.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { openSecretEnvironment } from '../support/secrets.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })

const query = async (sql: string, values: unknown[] = []) => (await world.database.pool.query(sql, values)).rows

describe('the key ring', () => {
  const [one, other] = [newKeyRing('one'), newKeyRing('other')]
  const startWith = (ring: string) => assertKeyRing({ ...world.gateway, cipher: new Cipher(ring) })
  const forgetKeys = async () => {
    await query('DELETE FROM encryption_keys')
    await query(`DELETE FROM startup_steps WHERE name = 'record encryption keys'`)
  }

  /** Encrypts all secrets of a column with the newest key of a ring. */
  async function encryptColumn(name: string, cipher: Cipher): Promise<void> {
    const [table = '', column = ''] = name.split('.')
    const rows = await query(
      `SELECT ctid, environment_id, ${column} AS secret FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    for (const { ctid, environment_id: owner, secret } of rows) {
      const plain = all.decrypt(secret, owner)
      await query(`UPDATE ${table} SET ${column} = $1 WHERE ctid = $2::tid`, [cipher.encrypt(plain, owner), ctid])
    }
  }

  /** Decrypts everything. */
  let all: Pick<Cipher, 'decrypt'>
  beforeAll(async () => {
    await openSecretEnvironment(world)
    const both = new Cipher(`${one},${other}`)
    all = {
      decrypt: (secret, owner) => (/^(one|other)\./.test(secret) ? both : world.gateway.cipher).decrypt(secret, owner),
    }
  })
  beforeEach(async () => {
    for (const name of encryptedColumns) await encryptColumn(name, new Cipher(one))
    await forgetKeys()
  })

  test.each(encryptedColumns)('is rejected at startup if it lacks a key of %s', async (name) => {
    await startWith(`${other},${one}`)
    await encryptColumn(name, new Cipher(other))
    await startWith(`${one},${other}`)
    const refused = {
      cause: { message: `the key ring lacks the key "other", which a secret is encrypted with: see ${name}` },
    }
    await expect(startWith(one)).rejects.toMatchObject(refused)
    // The state after an upgrade from a version that did not record keys.
    await forgetKeys()
    await expect(startWith(one)).rejects.toMatchObject(refused)
  })

  test('may lack a key that nothing is encrypted with any more', async () => {
    await startWith(`${other},${one}`)
    await startWith(one)
  })

  test('is rejected if a key has the id of another one', async () => {
    const wrong = newKeyRing('one')
    const refused = {
      cause: { message: 'a secret does not decrypt with the key "one": the secret or the key was changed' },
    }
    await expect(startWith(wrong)).rejects.toMatchObject(refused)
    await startWith(one)
    await expect(startWith(wrong)).rejects.toMatchObject(refused)
  })
})
