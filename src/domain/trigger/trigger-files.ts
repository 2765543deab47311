// The files of a trigger: stores the bytes that it brings, and checks the files that it names.
import { type NewEventAttachment, touchAttachments } from '../../data/attachment/attachment.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { issueAt } from '../../lib/validation.ts'
import { MAX_ATTACHMENT_BYTES, nameAt, STANDARD_TYPE } from '../channel/attachment-file.ts'
import type { Scope } from '../resolver/scope.ts'
import { storeFile } from './attachment.ts'
import type { AttachmentInput } from './attachment-input.ts'

/** A file of an accepted trigger, before its event has an id. */
export type TriggerFile = Omit<NewEventAttachment, 'eventId' | 'createdAt'>

/** @throws Refusal `PAYLOAD_TOO_LARGE` */
function assertTotal(sizes: readonly number[]): void {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= MAX_ATTACHMENT_BYTES) return
  const message = `attachments must be at most ${MAX_ATTACHMENT_BYTES} bytes together, and have ${total}`
  throw refuse('PAYLOAD_TOO_LARGE', message, 'attachments')
}

const sizesOf = (given: readonly AttachmentInput[]) =>
  given.flatMap(({ content }) => (content ? [content.data.byteLength] : []))

/** @throws Refusal `INVALID` for a URL that the gateway never calls. */
function assertCallable({ providers }: Scope, given: readonly AttachmentInput[]): void {
  for (const [index, { url: file }] of given.entries()) {
    const objection = file && providers.objectionToUrl(file.url)
    if (!objection) continue
    const issue = issueAt(['attachments', index, 'url', 'url'], `cannot be fetched: ${objection}`, file.url)
    throw new Refusal('INVALID', issue.message, { issues: [issue] })
  }
}

/** Looks up uploaded files. @throws Refusal `NOT_FOUND` */
async function uploadedFiles(scope: Scope, given: readonly AttachmentInput[]) {
  const ids = given.flatMap(({ uploaded }) => (uploaded ? [uploaded.id] : []))
  const found = ids.length === 0 ? [] : await scope.atomic((inner) => touchAttachments(inner, ids, inner.now()))
  const files = new Map(found.map((file) => [file.id, file]))
  for (const [index, { uploaded }] of given.entries()) {
    if (uploaded && !files.has(uploaded.id.toLowerCase())) {
      const message = `Attachment "${uploaded.id}" not found`
      throw refuse('NOT_FOUND', message, ['attachments', index, 'uploaded', 'id'], uploaded.id)
    }
  }
  return files
}

/**
 * Prepares the files of a trigger. Bytes that it brings are stored before the event; if it is then rejected, they are
 * deleted with the unused uploads.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE`, `INVALID` or `NOT_FOUND`, naming the field.
 */
export async function storeTriggerFiles(
  scope: Scope,
  given: readonly AttachmentInput[],
): Promise<readonly TriggerFile[]> {
  assertTotal(sizesOf(given))
  assertCallable(scope, given)
  const uploads = await uploadedFiles(scope, given)
  assertTotal([
    ...sizesOf(given),
    ...given.flatMap(({ uploaded }) => (uploaded ? [uploads.get(uploaded.id.toLowerCase())?.size ?? 0] : [])),
  ])
  const files: TriggerFile[] = []
  for (const [position, { uploaded, url, content }] of given.entries()) {
    const common = ({ contentId, disposition }: NonNullable<typeof uploaded | typeof url | typeof content>) => ({
      position,
      contentId: contentId ?? null,
      isInline: disposition === 'inline',
    })
    const upload = uploaded && uploads.get(uploaded.id.toLowerCase())
    if (uploaded && upload) {
      const { id: attachmentId, ...stored } = upload
      const [name, contentType] = [uploaded.name ?? stored.name, uploaded.contentType ?? stored.contentType]
      files.push({ ...common(uploaded), attachmentId, url: null, name, contentType })
    } else if (url) {
      const { contentType = null } = url
      files.push({ ...common(url), attachmentId: null, url: url.url, name: url.name ?? nameAt(url.url), contentType })
    } else if (content) {
      const { name, data } = content
      const contentType = content.contentType ?? STANDARD_TYPE
      const { id: attachmentId } = await storeFile(scope, { name, contentType, bytes: [data] })
      files.push({ ...common(content), attachmentId, url: null, name, contentType })
    }
  }
  return files
}
