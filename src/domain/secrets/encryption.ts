// Encryption at startup: checks the key ring, and encrypts secrets that earlier versions stored in clear text.
import type { Logger } from 'pino'
import type { Connection } from '../../data/connection/database.ts'
import { lockEncryption } from '../../data/lock.ts'
import { plainTokens, plainWebhooks, writeEncryptedTokens, writeEncryptedWebhooks } from '../../data/plain-secret.ts'
import { allowLongStatements, ciphertextOf, encryptedColumns, keyIdsIn } from '../../data/secrets/encryption.ts'
import { encryptTokens } from '../credential.ts'
import type { Gateway } from '../resolver/scope.ts'
import { storedEndpoint } from '../stored-endpoint.ts'

/** Milliseconds for a transaction that reads whole tables. */
const LONG = 3_600_000

/** Rows to encrypt in one transaction. */
const BATCH = 500

type Startup = Pick<Gateway, 'db' | 'cipher' | 'now'>

/** Runs `work` while no other process does. */
function alone<Result>({ db }: Startup, work: (tx: Connection) => Promise<Result>): Promise<Result> {
  return db.$transaction(
    async (tx) => {
      await allowLongStatements(tx)
      await lockEncryption(tx)
      return work(tx)
    },
    { maxWait: LONG, timeout: LONG },
  )
}

const isDone = async (db: Connection, name: string) => (await db.startupStep.count({ where: { name } })) > 0

async function markDone({ now }: Startup, db: Connection, name: string): Promise<void> {
  await db.startupStep.createMany({ data: [{ name, finishedAt: now() }], skipDuplicates: true })
}

/** The columns with secrets that a key encrypts, and one secret of each. */
async function useOf(db: Connection, keyId: string) {
  const uses: { column: string; ciphertext: string; environmentId: string }[] = []
  for (const column of encryptedColumns) {
    const found = await ciphertextOf(db, column, keyId)
    if (found !== undefined) uses.push({ column, ...found })
  }
  return uses
}

/** @throws Error that names the key and the columns that need it. Does not throw if no column needs it. */
async function assertUnused(db: Connection, keyId: string): Promise<void> {
  const columns = (await useOf(db, keyId)).map(({ column }) => column)
  if (columns.length === 0) return
  throw new Error(`the key ring lacks the key "${keyId}", which a secret is encrypted with: see ${columns.join(', ')}`)
}

async function record({ cipher, now }: Startup, db: Connection, keyIds: readonly string[]): Promise<void> {
  const rows = keyIds.map((id) => ({ id, checkValue: cipher.checkValue(id) ?? '', createdAt: now() }))
  await db.encryptionKey.createMany({ data: rows, skipDuplicates: true })
}

/** Records the keys of secrets that were encrypted before keys were recorded. Reads every encrypted column once. */
async function recordKeysInUse(startup: Startup, db: Connection): Promise<void> {
  const name = 'record encryption keys'
  if (await isDone(db, name)) return
  const found = new Set<string>()
  for (const column of encryptedColumns) for (const id of await keyIdsIn(db, column)) found.add(id)
  for (const id of found) {
    if (startup.cipher.checkValue(id) === undefined) await assertUnused(db, id)
    const [use] = await useOf(db, id)
    if (use !== undefined) startup.cipher.decrypt(use.ciphertext, use.environmentId)
  }
  await record(startup, db, [...found])
  await markDone(startup, db, name)
}

/**
 * Checks that the key ring decrypts the secrets in the database, and records the key that this process encrypts with.
 * Reads no secrets, unless a key is missing. Must be called before anything is encrypted.
 *
 * @throws Error that names the missing or wrong key.
 */
export async function assertKeyRing(startup: Startup): Promise<void> {
  const { cipher } = startup
  try {
    await alone(startup, async (db) => {
      await recordKeysInUse(startup, db)
      const recorded = await db.encryptionKey.findMany({ orderBy: { id: 'asc' } })
      for (const { id, checkValue } of recorded) {
        const own = cipher.checkValue(id)
        if (own === undefined) await assertUnused(db, id)
        else if (own !== checkValue) {
          throw new Error(`a secret does not decrypt with the key "${id}": the secret or the key was changed`)
        }
      }
      if (!recorded.some(({ id }) => id === cipher.newestKeyId)) await record(startup, db, [cipher.newestKeyId])
    })
  } catch (cause) {
    throw new Error(
      'the encryption keys do not match this database: restore the previous ENCRYPTION_KEYS or the key file',
      { cause },
    )
  }
}

/** Encrypts rows in batches, each in a transaction of its own. @returns the number of rows. */
async function convert<Row>(
  startup: Startup,
  read: (db: Connection, after: Partial<Row>, take: number) => Promise<Row[]>,
  write: (db: Connection, rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  let count = 0
  for (let after: Partial<Row> = {}; ;) {
    const rows = await alone(startup, async (db) => {
      const found = await read(db, after, BATCH)
      if (found.length > 0) await write(db, found)
      return found
    })
    const last = rows.at(-1)
    if (last === undefined) return count
    count += rows.length
    after = last
  }
}

/**
 * Encrypts the webhook URLs and device tokens that earlier versions stored in clear text. Does nothing once that is
 * finished. If the process is killed, the next start continues. Safe if several processes start at the same time.
 */
export async function encryptStoredAddresses(startup: Startup, logger: Pick<Logger, 'info'>): Promise<void> {
  const name = 'encrypt webhook URLs and device tokens'
  const { db, cipher } = startup
  if (await isDone(db, name)) return
  const webhooks = await convert(startup, plainWebhooks, (tx, rows) =>
    writeEncryptedWebhooks(
      tx,
      rows.map((row) => ({ ...row, ...storedEndpoint({ ...row, cipher }, 'webhook', row.endpoint) })),
    ),
  )
  const credentials = await convert(startup, plainTokens, (tx, rows) =>
    writeEncryptedTokens(
      tx,
      rows.map((row) => ({ ...row, encryptedTokens: encryptTokens({ ...row, cipher }, row.deviceTokens) })),
    ),
  )
  await markDone(startup, db, name)
  if (webhooks + credentials > 0) logger.info({ webhooks, credentials }, 'stored addresses encrypted')
}
