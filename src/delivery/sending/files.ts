// The files of a message: reads their bytes for one attempt, and fetches those that the trigger names by a URL.
import { keepFetched, type SizedAttachment, sizedAttachmentsOfEvent } from '../../data/attachment/attachment.ts'
import {
  type AttachedFile,
  MAX_ATTACHMENT_BYTES,
  MAX_FETCHED_BYTES,
  mediaType,
  STANDARD_TYPE,
} from '../../domain/channel/attachment-file.ts'
import type { SendResult } from '../../domain/channel/provider-directory.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { piecesOfAttachment, storeFile } from '../../domain/trigger/attachment.ts'
import type { LoadedFile, Message } from '../../engine/message.ts'
import { ByteBudget } from '../../lib/bytes/byte-budget.ts'
import { Places } from '../../lib/places.ts'
import type { Outbound } from '../network/outbound.ts'
import { isPermanent, unreachableFailure } from '../provider-kit/exchange.ts'
import { DeliveryFailure } from '../provider-kit/provider.ts'
import { resultOf } from './send.ts'

/** Bytes of attachments in the memory of this process. A request encodes them in pieces, so that it needs no other copy. */
const budget = new ByteBudget(40 * 1024 * 1024)

/** Bytes of files that are being fetched. A slow server keeps no other file waiting. */
const fetching = new ByteBudget(8 * MAX_FETCHED_BYTES)

/** An environment fetches one file at a time, so that its slow servers only delay its own messages. */
const turns = new Places(1)

/** The maximum number of bytes that the files of a message have. */
const bytesOf = (files: readonly SizedAttachment[]) =>
  Math.min(
    files.reduce((sum, { size }) => sum + (size ?? 0), 0),
    MAX_ATTACHMENT_BYTES,
  )

/** The failure of a message with a file that cannot be read. No other integration could send it either. */
const unavailable = (message: string, permanent: boolean) =>
  new DeliveryFailure(message, { permanent, failureCause: 'attachment_unavailable' })

const gone = () => unavailable('An attachment of the event no longer exists.', true)

/** Fetches the file at a URL, and keeps it for further attempts. @throws DeliveryFailure */
async function fetchFile(
  scope: EnvironmentScope,
  outbound: Outbound,
  { url, name, contentType, ...place }: SizedAttachment,
): Promise<void> {
  if (url === null) throw gone()
  const { host } = new URL(url)
  const unfetched = (reason: string, permanent: boolean) =>
    unavailable(`The attachment ${JSON.stringify(name)} cannot be fetched: ${reason}`, permanent)
  const { status, bytes, type } = await outbound
    .fetchBytes({ url, environmentId: scope.environmentId, maxBytes: MAX_FETCHED_BYTES })
    .catch((error: unknown) => {
      const { message, permanent } = unreachableFailure(error)
      throw unfetched(message, permanent)
    })
  if (status < 200 || status >= 300) {
    throw unfetched(`${host} responded with ${status}`, isPermanent(status))
  }
  if (bytes === undefined) throw unfetched(`it has more than ${MAX_FETCHED_BYTES} bytes`, true)
  const served = mediaType.safeParse(type).data ?? STANDARD_TYPE
  // Nobody else knows of it: it is deleted with the event.
  const { createdAt: lastUsedAt } = place
  const stored = await storeFile(scope, { name, contentType: contentType ?? served, bytes: [bytes], lastUsedAt })
  await keepFetched(scope, place, { id: stored.id, contentType: contentType ?? served })
}

/** Reads what is stored of files, in their order. @throws DeliveryFailure if one does not exist any more. */
async function readFiles(
  scope: EnvironmentScope,
  files: readonly AttachedFile[],
): Promise<readonly (AttachedFile & { readonly stored: SizedAttachment })[]> {
  const eventIds = [...new Set(files.map(({ eventId }) => eventId))]
  const found = await sizedAttachmentsOfEvent.load(scope, eventIds)
  const all = found.flatMap((own) => (own instanceof Error ? [] : own))
  return files.map((file) => {
    const stored = all.find(({ eventId, position }) => eventId === file.eventId && position === file.position)
    if (stored === undefined) throw gone()
    return { ...file, stored }
  })
}

/** Reads what is stored of files, and fetches those that are still missing. @throws DeliveryFailure */
async function readOrFetch(scope: EnvironmentScope, outbound: Outbound, files: readonly AttachedFile[]) {
  const known = await readFiles(scope, files)
  const missing = known.filter(({ stored }) => stored.attachmentId === null)
  if (missing.length === 0) return known
  for (const file of missing) {
    const fetchOne = async () => {
      // Another message may have fetched it meanwhile.
      const [now] = await readFiles(scope, [file])
      if (now?.stored.attachmentId === null) await fetchFile(scope, outbound, now.stored)
    }
    await turns.run(scope.environmentId, () => fetching.run(MAX_FETCHED_BYTES, fetchOne))
  }
  return readFiles(scope, files)
}

/** Reads the bytes of a file. @throws DeliveryFailure if they do not exist any more. */
async function loadFile(
  scope: EnvironmentScope,
  { contentId, inline, stored }: AttachedFile & { readonly stored: SizedAttachment },
): Promise<LoadedFile> {
  if (stored.attachmentId === null || stored.size === null) throw gone()
  // Not collected and joined, which would take twice as much memory.
  const bytes = Buffer.allocUnsafeSlow(stored.size)
  let read = 0
  for await (const piece of piecesOfAttachment(scope, stored.attachmentId)) {
    bytes.set(piece, read)
    read += piece.byteLength
  }
  if (read !== stored.size) throw gone()
  return {
    name: stored.name,
    contentType: stored.contentType ?? STANDARD_TYPE,
    bytes,
    ...(contentId !== undefined && { contentId }),
    ...(inline && { inline }),
  }
}

/** The result of a message whose files cannot be read. It says nothing about the provider. */
export interface UnreadableFiles {
  readonly unreadable: SendResult
}

/**
 * Calls `send` with the bytes of the message's files, which are released afterwards. Waits until this process has room
 * for them.
 */
export async function sendWithFiles<Result>(
  scope: EnvironmentScope,
  outbound: Outbound,
  message: Message,
  send: (message: Message) => Promise<Result>,
): Promise<Result | UnreadableFiles> {
  const attachments = message.content.email?.attachments ?? []
  if (attachments.length === 0) return send(message)
  const asResult = (error: unknown): UnreadableFiles => {
    if (error instanceof DeliveryFailure) return { unreadable: resultOf(error) }
    throw error
  }
  const known = await readOrFetch(scope, outbound, attachments).catch(asResult)
  if ('unreadable' in known) return known
  return budget.run(bytesOf(known.map(({ stored }) => stored)), async () => {
    const files: LoadedFile[] = []
    try {
      for (const one of known) files.push(await loadFile(scope, one))
    } catch (error) {
      return asResult(error)
    }
    return send({ ...message, files })
  })
}
