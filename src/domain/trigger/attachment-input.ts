// The input of a trigger's attachments: uploaded files, URLs, and bytes in the trigger itself.
import { z } from 'zod'
import { contentId, dispositions, fileName, MAX_ATTACHMENTS, mediaType } from '../channel/attachment-file.ts'
import { httpUrl } from '../../lib/validation.ts'

const common = {
  contentType: mediaType.nullish().meta({ description: 'The media type of the file.' }),
  contentId: contentId.nullish().meta({ description: 'The id by which the HTML of the email refers to the file.' }),
  disposition: z
    .enum(dispositions)
    .nullish()
    .meta({ description: 'How the email shows the file: `attachment` by default.' }),
}

const named = { ...common, name: fileName.nullish().meta({ description: 'The name of the file.' }) }

/**
 * Decodes base64, with or without padding. Undefined if the text is something else. Node skips other characters, which
 * makes the result shorter, so that no slow search for them is needed.
 */
export function decodedBase64(text: string): Buffer | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const decoded = Buffer.from(text, 'base64')
  const isWhole = padding === 0 ? text.length % 4 !== 1 : text.length % 4 === 0
  return isWhole && decoded.byteLength === Math.floor(((text.length - padding) * 3) / 4) ? decoded : undefined
}

const NOT_BASE64 = 'must be base64'

/** Decodes base64, and reports text that is something else. */
export function decodeFile(text: string, context: z.RefinementCtx): Uint8Array {
  const decoded = decodedBase64(text)
  if (decoded !== undefined) return decoded
  context.addIssue({ code: 'custom', message: NOT_BASE64, input: undefined })
  return z.NEVER
}

const isFile = (value: unknown) => value instanceof Uint8Array || typeof value === 'string'

/** Bytes, or their base64. One schema, because the API's document says only what JSON can have. */
export const fileBytes = z
  .custom<Uint8Array | string>(isFile, NOT_BASE64)
  .transform((given, context) => (typeof given === 'string' ? decodeFile(given, context) : given))

const fields = {
  uploaded: z.strictObject({ id: z.uuid().meta({ description: 'The `_id` of the uploaded file.' }), ...named }),
  url: z.strictObject({
    url: httpUrl.meta({ description: 'The URL of the file, which is fetched at the first attempt to send it.' }),
    ...named,
  }),
  content: z.strictObject({
    data: fileBytes.meta({ type: 'string', description: 'The bytes of the file in base64.' }),
    ...common,
    name: fileName.meta({ description: 'The name of the file.' }),
  }),
}

/** One file: exactly one of the fields. */
const attachment = z.union([
  z.strictObject({ uploaded: fields.uploaded }),
  z.strictObject({ url: fields.url }),
  z.strictObject({ content: fields.content }),
])

/** The input schema of all files of a trigger. */
export const attachmentsInput = z
  .array(attachment)
  .max(MAX_ATTACHMENTS)
  .nullish()
  .meta({ description: `The files of the emails: at most ${MAX_ATTACHMENTS}, and 20 MiB together.` })

/** One file. Exactly one of the fields is present. */
export type AttachmentInput = {
  readonly [Name in keyof typeof fields]?: z.output<(typeof fields)[Name]> | undefined
}
