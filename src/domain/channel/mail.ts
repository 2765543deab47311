// An email in the form in which nodemailer composes it: what a mail server gets, and what the execution log shows of it.
import { isCalendar } from './attachment-file.ts'
import { type Envelope, messageIdOf } from './email-envelope.ts'

/** A file of an email. */
export interface MailFile {
  readonly name: string
  readonly contentType: string
  /** The bytes, or a text in their place. */
  readonly content: Buffer | string
  readonly contentId?: string | undefined
  readonly inline?: boolean | undefined
}

/** An email whose parts are known. */
export interface Mail {
  readonly deliveryId: string
  readonly envelope: Envelope
  readonly subject: string
  /** Undefined if the email is plain text only. */
  readonly html: string | undefined
  readonly text: string
  readonly files: readonly MailFile[]
}

/** A text in place of the bytes stays readable. */
const encodingOf = ({ content }: MailFile) =>
  typeof content === 'string' ? { contentTransferEncoding: '7bit' as const } : {}

/**
 * True if a header must stay on one line, which has room for 998 characters (RFC 5322, section 2.1.1): some mail servers
 * compute a wrong signature of a link on the second line, and mail clients do not unsubscribe then.
 */
const isOneLine = (name: string) => name.startsWith('List-Unsubscribe')

/** Converts an email to the input of nodemailer. */
export function composable({ deliveryId, envelope, subject, html, text, files }: Mail) {
  const { from, to, cc, bcc, replyTo, headers } = envelope
  return {
    ...{ from, subject, text },
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    replyTo: [...replyTo],
    ...(html === undefined ? {} : { html }),
    // The same for every attempt, so that mail servers can remove duplicates.
    messageId: messageIdOf(deliveryId, from),
    alternatives: files
      .filter(isCalendar)
      .map((file) => ({ contentType: file.contentType, content: file.content, ...encodingOf(file) })),
    attachments: files
      .filter((file) => !isCalendar(file))
      .map((file) => ({
        filename: file.name,
        contentType: file.contentType,
        content: file.content,
        ...encodingOf(file),
        contentDisposition: file.inline === true ? ('inline' as const) : ('attachment' as const),
        ...(file.contentId !== undefined && { cid: file.contentId }),
      })),
    headers: {
      'Idempotency-Key': deliveryId,
      ...Object.fromEntries(
        headers.map(({ name, value }) => [name, isOneLine(name) ? { prepared: true, value } : value]),
      ),
    },
  }
}

/**
 * Composes the source of an email: what a mail server gets. It has no line for the recipients in `bcc`. The same email
 * always has the same source.
 */
export async function sourceOf(mail: Mail, date: Date): Promise<string> {
  // Loaded with the first source, because it takes memory and delays the start of the process.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composer = new MailComposer({
    ...composable(mail),
    ...{ date, baseBoundary: mail.deliveryId, disableFileAccess: true, disableUrlAccess: true },
  })
  const source = await composer.compile().build()
  return source.toString('utf8')
}
