// The files that emails have: their limits, their names and their types.
import { z } from 'zod'

const MIB = 1024 * 1024

/** Maximum size of one file, and of all files of an email together, in bytes. */
export const MAX_ATTACHMENT_BYTES = 20 * MIB
/** Maximum size of a file at a URL, in bytes. */
export const MAX_FETCHED_BYTES = 10 * MIB
/** Maximum number of files of an email. */
export const MAX_ATTACHMENTS = 10

/** What a file is called and is, if nobody says so. */
export const STANDARD_TYPE = 'application/octet-stream'

const MAX_NAME = 255

const nameObjection = `must be 1 to ${MAX_NAME} characters, without "/", "\\" and control characters, and not "." or ".."`

const isFileName = (name: string) =>
  name.trim() !== '' &&
  name.length <= MAX_NAME &&
  name.isWellFormed() &&
  !/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) &&
  !/^\.\.?$/.test(name.trim())

/** The name of a file, without a path. */
export const fileName = z.string().refine(isFileName, nameObjection)

/** RFC 6838, section 4.2, with parameters as in RFC 2045, section 5.1. */
const mediaTypePattern =
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?:\s*;\s*[a-z0-9!#$%&'*+.^_`|~-]+=(?:[a-z0-9!#$%&'*+.^_`|~-]+|"[^"\\\p{Cc}]*"))*$/iu

/** A media type. */
export const mediaType = z
  .string()
  .max(255)
  .refine((type) => mediaTypePattern.test(type), 'must be a media type, such as application/pdf')

/** True for an invitation or a reply to one, which mail clients show as an alternative of the text. */
export const isCalendar = ({ contentType }: { readonly contentType: string }): boolean =>
  /^text\/calendar\s*;(?:.*;)?\s*method=/i.test(contentType)

/** The id by which the HTML of an email refers to a file: `<img src="cid:logo">`. */
export const contentId = z
  .string()
  .regex(/^[A-Za-z0-9._%+@-]{1,255}$/, 'must be 1 to 255 letters, digits, ".", "_", "%", "+", "@" or "-"')

/** How an email shows a file. */
export const dispositions = ['attachment', 'inline'] as const
export type Disposition = (typeof dispositions)[number]

/** A file of an email, by its place in the attachments of an event. */
export interface AttachedFile {
  readonly eventId: string
  readonly position: number
  readonly name: string
  /** Null until the URL has been fetched. */
  readonly contentType: string | null
  /** In bytes. Null until the URL has been fetched. */
  readonly size: number | null
  readonly contentId?: string
  readonly inline?: true
}

/** The name of a file at a URL. */
export function nameAt(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    const decoded = decodeURIComponent(last)
    return isFileName(decoded) ? decoded : 'attachment'
  } catch {
    return 'attachment'
  }
}

/** Chooses the first files that an email has room for. @returns them, and the number of the others. */
export function withinLimits(files: readonly AttachedFile[]): {
  readonly chosen: readonly AttachedFile[]
  readonly leftOut: number
} {
  const chosen: AttachedFile[] = []
  let total = 0
  for (const file of files) {
    total += file.size ?? 0
    if (chosen.length === MAX_ATTACHMENTS || total > MAX_ATTACHMENT_BYTES) break
    chosen.push(file)
  }
  return { chosen, leftOut: files.length - chosen.length }
}
