// Attachments: files that are uploaded before a trigger or come with it, and their bytes.
import { z } from 'zod'
import {
  addPiece,
  attachmentsById,
  beginAttachment,
  dropAttachment,
  endAttachment,
  readPiece,
  sizedAttachmentsOfEvent,
  type SizedAttachment,
  type StoredAttachment,
} from '../../data/attachment/attachment.ts'
import { loggable } from '../../data/driver/database-errors.ts'
import type { Tenant } from '../../data/reading/loader.ts'
import { createHash } from 'node:crypto'
import { Refusal } from '../../lib/errors.ts'
import { piecesOf } from '../../lib/bytes/pieces.ts'
import { fileName, MAX_ATTACHMENT_BYTES, mediaType, STANDARD_TYPE } from '../channel/attachment-file.ts'
import { decodeFile } from './attachment-input.ts'
import { query, unwrappedMutation } from '../resolver/resolver.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

export type Attachment = StoredAttachment
export type { SizedAttachment }

/** Bytes of a piece, as it is stored. */
const PIECE = 256 * 1024

const tooLargeFile = () =>
  new Refusal('PAYLOAD_TOO_LARGE', `An attachment must be at most ${MAX_ATTACHMENT_BYTES} bytes`)

export interface NewFile {
  readonly name: string
  readonly contentType: string
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** The time of the upload or trigger. Default: now. */
  readonly lastUsedAt?: Date
}

/**
 * Stores a file in pieces, as it arrives. Outside of a transaction, each piece is a statement of its own, because a slow
 * client must not hold one. What is left if the process dies is deleted with the unused uploads.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE`, or what reading the bytes throws. Nothing is stored then.
 */
export async function storeFile(scope: EnvironmentScope, { bytes, lastUsedAt, ...file }: NewFile): Promise<Attachment> {
  const id = scope.newId()
  const hash = createHash('sha256')
  let [position, size] = [0, 0]
  const now = scope.now()
  await beginAttachment(scope, { id, ...file, lastUsedAt: lastUsedAt ?? now }, now)
  try {
    for await (const piece of piecesOf(bytes, PIECE)) {
      size += piece.byteLength
      if (size > MAX_ATTACHMENT_BYTES) throw tooLargeFile()
      hash.update(piece)
      await addPiece(scope, id, position, piece)
      position += 1
    }
    const sha256 = hash.digest('hex')
    const ended = { id, ...file, sha256, size, lastUsedAt: lastUsedAt ?? scope.now() }
    return await scope.transaction((inner) => endAttachment(inner, ended))
  } catch (error) {
    const { environmentId, log } = scope
    await dropAttachment(scope, id).catch((fault: unknown) =>
      log.warn({ err: loggable(fault), environmentId, attachmentId: id }, 'unfinished upload not deleted'),
    )
    throw error
  }
}

/** Reads the bytes of an attachment in pieces. */
export async function* piecesOfAttachment(tenant: Tenant, id: string): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; position += 1) {
    const piece = await readPiece(tenant, id, position)
    if (piece === undefined) return
    yield piece
  }
}

type Chunks = NewFile['bytes']

/** Bytes as they arrive, or base64. */
const chunks = z
  .union([z.string(), z.custom<Chunks>()])
  .transform((given, context): Chunks => (typeof given === 'string' ? [decodeFile(given, context)] : given))

/**
 * Uploads a file for later triggers. An upload of equal bytes returns the same attachment, with the new name. A file that
 * no trigger uses is deleted after a day.
 */
export const uploadAttachment = unwrappedMutation({
  name: 'attachment.upload',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({
    name: fileName,
    contentType: mediaType.nullish(),
    bytes: chunks,
  }),
  run: (scope, { name, contentType, bytes }) =>
    storeFile(scope, { name, contentType: contentType ?? STANDARD_TYPE, bytes }),
})

/** An upload is no attachment before all its bytes have arrived. */
const complete = (found: StoredAttachment | null) => (found === null || found.sha256 === null ? null : found)

export const attachment = query({
  name: 'attachment.get',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: async ({ load }, { id }) => complete(await load(attachmentsById, id)),
})

/** Opens the bytes of an attachment. They are read as the caller takes them. */
export const openAttachment = query({
  name: 'attachment.open',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: (scope, { id }) => Promise.resolve(piecesOfAttachment(scope, id)),
})

/** Lists the attachments of an event, in the order of the trigger. Batched. */
export const attachmentsOf = query({
  name: 'attachment.listOfEvent',
  permission: 'event:read',
  input: z.object({ eventId: z.uuid(), attachmentCount: z.int().nullable() }),
  run: ({ load }, { eventId, attachmentCount }): Promise<readonly SizedAttachment[]> =>
    attachmentCount === null ? Promise.resolve([]) : load(sizedAttachmentsOfEvent, eventId),
})
