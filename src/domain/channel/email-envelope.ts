// The addresses, headers and parts of an email, as providers send them.
import type { Content } from './content.ts'
import { type EmailAddress, isEmailAddress, withAsciiDomain } from './email-address.ts'
import type { EmailHeader } from './email-header.ts'

/** The sender that an integration has. */
export interface IntegrationSender {
  readonly from: string
  readonly senderName?: string | undefined
  /** The address to which mail clients without one-click unsubscribe write. */
  readonly unsubscribeMailto?: string | undefined
}

/** The addresses and headers of an email. */
export interface Envelope {
  readonly from: EmailAddress
  /** Empty if the destination is not an email address, or if an override sends only copies. */
  readonly to: readonly EmailAddress[]
  readonly replyTo: readonly EmailAddress[]
  readonly cc: readonly EmailAddress[]
  readonly bcc: readonly EmailAddress[]
  readonly headers: readonly EmailHeader[]
}

/** Returns the part of an address after the `@`. A webhook may have a sender without one. */
const domainOf = ({ address }: EmailAddress): string =>
  address.includes('@') ? address.slice(address.lastIndexOf('@') + 1) : 'localhost'

/** The message id of an email, the same for every attempt. Some providers replace it. */
export const messageIdOf = (deliveryId: string, from: EmailAddress): string => `<${deliveryId}@${domainOf(from)}>`

/** The headers by which mail clients show emails as one thread (RFC 5322, section 3.6.4): all refer to the same root. */
function threadHeaders(thread: string | undefined, from: EmailAddress): readonly EmailHeader[] {
  if (thread === undefined) return []
  const root = `<${thread}@${domainOf(from)}>`
  return [
    { name: 'References', value: root },
    { name: 'In-Reply-To', value: root },
  ]
}

/**
 * The headers by which mail clients unsubscribe (RFC 2369, RFC 8058). A message to several addresses has none, because
 * the link is the one of the subscriber.
 */
function unsubscribeHeaders(
  link: string | undefined,
  { unsubscribeMailto: mailto }: IntegrationSender,
  recipients: number,
): readonly EmailHeader[] {
  if (link === undefined || recipients !== 1) return []
  const address = mailto?.split('@').map(encodeURIComponent).join('@')
  const inMail = address === undefined ? '' : `, <mailto:${address}?subject=unsubscribe>`
  return [
    { name: 'List-Unsubscribe', value: `<${link}>${inMail}` },
    { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
  ]
}

/** Returns the addresses that have not been in `taken` before. Some providers reject an email with one twice. */
const unique = (addresses: readonly EmailAddress[], taken: Set<string>): readonly EmailAddress[] =>
  addresses.map(withAsciiDomain).filter(({ address }) => {
    const isNew = !taken.has(address.toLowerCase())
    taken.add(address.toLowerCase())
    return isNew
  })

/** @param sender whose fields apply unless the step has its own. @param recipient null if it has no address. */
export function envelopeOf(
  { email, unsubscribe }: Pick<Content, 'email' | 'unsubscribe'>,
  sender: IntegrationSender,
  recipient: string | null,
): Envelope {
  const { senderName, to = [], replacesTo, replyTo = [], cc = [], bcc = [], headers = [], thread } = email ?? {}
  const own = email?.from ? withAsciiDomain(email.from) : { name: '', address: sender.from }
  const from = { name: senderName ?? (own.name || (sender.senderName ?? '')), address: own.address }
  const first = recipient === null || replacesTo ? [] : [{ name: '', address: recipient }]
  const taken = new Set(first.map(({ address }) => address.toLowerCase()))
  const addresses = { to: [...first, ...unique(to, taken)], cc: unique(cc, taken), bcc: unique(bcc, taken) }
  const recipients = addresses.to.length + addresses.cc.length + addresses.bcc.length
  return {
    from,
    ...addresses,
    replyTo: unique(replyTo, new Set()),
    headers: [...headers, ...threadHeaders(thread, from), ...unsubscribeHeaders(unsubscribe, sender, recipients)],
  }
}

/** Leaves out what is no address any more, because an erasure has replaced it. @param recipient stays as it is. */
export function withoutErased({ to, replyTo, cc, bcc, ...others }: Envelope, recipient: string | null): Envelope {
  const present = (addresses: readonly EmailAddress[]) =>
    addresses.filter(({ address }) => address === recipient || isEmailAddress(address))
  return { ...others, to: present(to), replyTo: present(replyTo), cc: present(cc), bcc: present(bcc) }
}

const tag = /<[a-z!/][^<>]*>/i

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;' }

/** Finds where the visible content of a document begins. Comments for Outlook may contain a `<body>` of their own. */
function startOfBody(html: string): number {
  const places = /<!--|<\/head\s*>|<body(?=[\s/>])/gi
  let start = 0
  for (let found = places.exec(html); found !== null; found = places.exec(html)) {
    if (found[0] === '<!--') {
      const end = html.indexOf('-->', found.index)
      if (end === -1) return start
      places.lastIndex = end + '-->'.length
    } else if (found[0].startsWith('</')) {
      start = places.lastIndex
    } else {
      const opening = /(?:"[^"]*"|'[^']*'|[^>"'])*>/y
      opening.lastIndex = found.index
      return opening.test(html) ? opening.lastIndex : start
    }
  }
  return start
}

function withPreheader(html: string, preheader: string): string {
  const text = preheader.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
  const start = startOfBody(html)
  const hidden = `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${text}</div>`
  return html.slice(0, start) + hidden + html.slice(start)
}

/** The parts of an email. */
interface Parts {
  /** Undefined if the body has no tags and is the plain text, because it would lose its line breaks as HTML. */
  readonly html: string | undefined
  /** Undefined if it must be created from the body. */
  readonly text: string | undefined
}

/** Returns the parts of an email. A body with a plain text beside it is HTML, with or without tags. */
export function partsOf({ body, email }: Content): Parts {
  const { preheader, text } = email ?? {}
  if (text === undefined && !tag.test(body)) return { html: undefined, text: body }
  return { html: preheader === undefined ? body : withPreheader(body, preheader), text }
}
