// Re-encryption: rewrites every secret with the newest key, so that older keys can be removed.
import type { Logger } from 'pino'
import { encryptedColumns, type EncryptedColumn } from '../../data/secrets/encryption.ts'
import {
  ciphertextsOfOtherKeys,
  pagesOfColumn,
  PORTION_PAGES,
  replaceCiphertexts,
  type StoredCiphertext,
} from '../../data/secrets/re-encryption.ts'
import type { Cipher } from '../../lib/cipher.ts'
import type { Gateway } from '../resolver/scope.ts'

/**
 * Maximum number of times that all rows are read. More than two are needed only if rows change while they are being
 * rewritten.
 */
const MAX_PASSES = 10

export interface ReencryptedColumn {
  readonly column: string
  /** The number of rewritten rows. */
  readonly rewritten: number
  /** The number of rows that no key of the ring decrypts. They keep their value. */
  readonly undecryptable: number
  /** The number of rows that changed each time they were about to be rewritten. */
  readonly missed: number
}

interface Reencryption {
  readonly gateway: Pick<Gateway, 'db'> & { readonly cipher: Pick<Cipher, 'newestKeyId' | 'encrypt' | 'decrypt'> }
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Stops between two portions. Rewritten rows stay. */
  readonly signal?: AbortSignal
  /** Called after each portion, with the number of rewritten rows and the fraction of all columns that was read. */
  readonly onProgress?: (rewritten: number, part: number) => void
}

type Portion = Omit<ReencryptedColumn, 'column'>

/** Encrypts again all values that the key ring decrypts, and counts the others. */
function encryptAgain(cipher: Reencryption['gateway']['cipher'], rows: readonly StoredCiphertext[]) {
  const replacements: (StoredCiphertext & { readonly replacement: string })[] = []
  let undecryptable = 0
  for (const row of rows) {
    try {
      const text = cipher.decrypt(row.ciphertext, row.environmentId)
      replacements.push({ ...row, replacement: cipher.encrypt(text, row.environmentId) })
    } catch {
      undecryptable += 1
    }
  }
  return { replacements, undecryptable }
}

async function rewritePortion(
  { gateway: { db, cipher } }: Reencryption,
  column: EncryptedColumn,
  page: number,
): Promise<Portion> {
  const found = await ciphertextsOfOtherKeys(db, column, cipher.newestKeyId, page)
  const { replacements, undecryptable } = encryptAgain(cipher, found)
  const rewritten = await replaceCiphertexts(db, column, replacements)
  return { rewritten, undecryptable, missed: replacements.length - rewritten }
}

/** Reads all pages of a column once. */
async function pass(run: Reencryption, column: EncryptedColumn, before: number): Promise<Portion> {
  let sum: Portion = { rewritten: 0, undecryptable: 0, missed: 0 }
  const pages = await pagesOfColumn(run.gateway.db, column)
  for (let page = 0; page < pages; page += PORTION_PAGES) {
    run.signal?.throwIfAborted()
    const { rewritten, undecryptable, missed } = await rewritePortion(run, column, page)
    sum = {
      rewritten: sum.rewritten + rewritten,
      undecryptable: sum.undecryptable + undecryptable,
      missed: sum.missed + missed,
    }
    const columnsRead = encryptedColumns.indexOf(column) + Math.min(1, (page + PORTION_PAGES) / pages)
    run.onProgress?.(before + sum.rewritten, columnsRead / encryptedColumns.length)
  }
  return sum
}

/** Reads a column until there is nothing left to rewrite. */
async function rewriteColumn(run: Reencryption, column: EncryptedColumn, before: number): Promise<ReencryptedColumn> {
  let rewritten = 0
  for (let passes = 1; ; passes += 1) {
    const last = await pass(run, column, before + rewritten)
    rewritten += last.rewritten
    const isDone = last.rewritten === 0 && last.missed === 0
    if (isDone || passes === MAX_PASSES) return { ...last, column, rewritten }
  }
}

/**
 * Encrypts every secret of an older key again with the newest one, in small portions, while processes run. Concurrent
 * changes of rows are never lost. After an interruption, the next call continues.
 *
 * All processes must have the newest key in their ring, and none may encrypt with an older one any more.
 */
export async function reencrypt(run: Reencryption): Promise<readonly ReencryptedColumn[]> {
  const columns: ReencryptedColumn[] = []
  let rewritten = 0
  for (const column of encryptedColumns) {
    const done = await rewriteColumn(run, column, rewritten)
    rewritten += done.rewritten
    if (done.undecryptable > 0)
      run.logger.warn({ column, rows: done.undecryptable }, 'secrets not re-encrypted: they cannot be decrypted')
    columns.push(done)
  }
  const { newestKeyId: encryptionKeyId } = run.gateway.cipher
  run.logger.info({ actor: 'command line', encryptionKeyId, secrets: rewritten }, 'secrets re-encrypted')
  return columns
}
