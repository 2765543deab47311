// The check of a whole backup before anything is restored. Restores are in test/system/backup.test.ts.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { backUpDatabase, restoreDatabase } from '../../src/domain/secrets/backup.ts'
import { assertKeyRing } from '../../src/domain/secrets/encryption.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
import { openSecretEnvironment } from '../support/secrets.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const logger = pino({ level: 'silent' })

let backup: Buffer
let text: string
beforeAll(async () => {
  await assertKeyRing(world.gateway)
  await openSecretEnvironment(world)
  const portions: Buffer[] = []
  const write = async (portion: Buffer) => void portions.push(portion)
  const options = { database: world.database, now: () => new Date(), logger }
  await backUpDatabase(options, { write, finish: async () => {} })
  backup = Buffer.concat(portions)
  text = gunzipSync(backup).toString()
})

test('a backup is rejected if a table has rows on other servers', async () => {
  const { pool } = world.database
  // As on the coordinator of a cluster, the table has rows but no pages of its own.
  await pool.query(`
    CREATE TABLE elsewhere () INHERITS (used_signatures);
    INSERT INTO elsewhere (environment_id, integration_id, hash, expires_at)
    VALUES (gen_random_uuid(), gen_random_uuid(), 'hash', now())`)
  onTestFinished(async () => {
    await pool.query('DROP TABLE elsewhere')
  })
  const options = { database: world.database, now: () => new Date(), logger }
  const work = backUpDatabase(options, { write: async () => {}, finish: async () => {} })
  await expect(work).rejects.toThrow('the table used_signatures has rows on other servers')
})

interface Restoring {
  readonly cipher?: Cipher
  readonly interruption?: AbortController
  /** Called with the unit of the progress. */
  readonly onProgress?: (unit: string) => void
}

/** Returns the error of a restore that is rejected before a database is created. */
async function rejection(
  content: Buffer,
  { cipher = world.gateway.cipher, interruption = new AbortController(), onProgress = () => {} }: Restoring = {},
): Promise<string> {
  const folder = await temporaryFolder()
  const [file, directory] = [path.join(folder, 'backup.gz'), path.join(folder, 'data')]
  await writeFile(file, content)
  const options = {
    location: { directory },
    cipher,
    logger,
    signal: interruption.signal,
    onProgress: (_done: number, _all: number, unit: string) => onProgress(unit),
  }
  const error = await restoreDatabase(options, file).then(() => 'restored', String)
  expect(existsSync(directory)).toBe(false)
  return error
}

describe('a restore is rejected', () => {
  test('if the key ring lacks a key of the backup', async () => {
    expect(await rejection(backup, { cipher: new Cipher(newKeyRing('other')) })).toContain(
      `the key ring lacks the key "${world.gateway.cipher.newestKeyId}", which secrets of the backup are encrypted with`,
    )
  })

  test('if a key of the ring has the id of a key of the backup but is another one', async () => {
    const { newestKeyId } = world.gateway.cipher
    expect(await rejection(backup, { cipher: new Cipher(newKeyRing(newestKeyId)) })).toContain(
      `the key "${newestKeyId}" is not the one that secrets of the backup are encrypted with`,
    )
  })

  test('if a row was changed', async () => {
    const changed = text.replace('Furnished', 'Forgotten')
    expect(await rejection(gzipSync(changed))).toContain('the backup is damaged: the rows of environments')
  })

  test('if the file ends early', async () => {
    expect(await rejection(backup.subarray(0, 2000))).toContain('damaged or incomplete')
    expect(await rejection(gzipSync(text.slice(0, text.length >> 1)))).toContain('the backup is incomplete')
  })

  test('if the file is not a backup, or has a newer format', async () => {
    for (const content of [Buffer.from('{}\n'), gzipSync('{}\n')])
      expect(await rejection(content)).toContain('the file is not a backup')
    const later = gzipSync(text.replace('"version":1', '"version":2'))
    expect(await rejection(later)).toContain('the backup has the format 2; this version reads 1')
  })

  test('if it is interrupted while it reports how much of the file is checked', async () => {
    const interruption = new AbortController()
    const units: string[] = []
    const onProgress = (unit: string) => {
      units.push(unit)
      interruption.abort(new Error('interrupted'))
    }
    expect(await rejection(backup, { interruption, onProgress })).toContain('interrupted')
    expect(units).toEqual(['bytes checked'])
  })
})
