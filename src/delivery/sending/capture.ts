// Decides whether a message leaves the gateway: it is sent, captured, or redirected to a tester.
import { isAllowed, type SendingRules } from '../../domain/access/sending.ts'
import { CAPTURE } from '../../domain/channel/provider-id.ts'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import type { ResolvedTarget, SendFailure, SendResult } from '../../domain/channel/provider-directory.ts'
import { emailAddress } from '../../lib/validation.ts'
import type { Message } from '../../engine/message.ts'

/** What happens to a message: it is sent, possibly in another form, or has a result without being sent. */
export type Handling =
  | {
      readonly message: Message
      /** The address of the tester. Absent if the message goes to its recipient. */
      readonly redirectedTo?: string
    }
  | { readonly captured: SendResult }

/** The domain and the first phone number of addresses that simulate outcomes. Nothing can ever be delivered to them. */
const SANDBOX = '@sandbox.invalid'
const SIMULATED_NUMBERS = '+1500555000'

const rejection = (address: string): SendFailure => ({
  reason: `${address} simulates an address that is rejected.`,
  permanent: true,
  cause: 'rejected',
  retryAfter: null,
})
const deferral = (address: string): SendFailure => ({
  reason: `${address} simulates a provider that is unavailable.`,
  permanent: false,
  cause: 'unavailable',
  retryAfter: null,
})

/** Failures by the name of the address. Bounces and complaints arrive later, so that their messages count as sent. */
const simulated: Readonly<Record<string, ((address: string) => SendFailure) | undefined>> = {
  defer: deferral,
  reject: rejection,
  // The numbers have the order bounce, complaint, defer, reject.
  3: deferral,
  4: rejection,
}

/** The email address or phone number of a target. Undefined for others. */
function addressOf(target: ResolvedTarget): string | undefined {
  if (target.kind === 'email') return target.address
  if (target.kind === 'phone') return target.phoneNumber
  return target.kind === 'endpoint' && target.endpoint.type === 'phone' ? target.endpoint.phoneNumber : undefined
}

function capture({ target }: Message): Handling {
  const address = addressOf(target)?.toLowerCase() ?? ''
  const [beginning, end] = target.kind === 'email' ? ['', SANDBOX] : [SIMULATED_NUMBERS, '']
  const isSimulated = address.startsWith(beginning) && address.endsWith(end)
  const name = address.slice(beginning.length, address.length - end.length)
  const failure = isSimulated && Object.hasOwn(simulated, name) ? simulated[name]?.(address) : undefined
  return { captured: { status: null, answer: null, isCaptured: true, ...(failure && { failure }) } }
}

/** The target of the tester in the form of another target. Undefined if its form does not fit. */
function redirected(target: ResolvedTarget, redirectTo: string): ResolvedTarget | undefined {
  const isEmail = emailAddress.safeParse(redirectTo).success
  if (target.kind === 'email') return isEmail ? { kind: 'email', address: redirectTo } : undefined
  if (isEmail) return undefined
  if (target.kind === 'phone') return { kind: 'phone', phoneNumber: redirectTo }
  // A messaging app may know the number under another account: only text messages are redirected.
  return undefined
}

/** The message whose further recipients are allowed destinations only. */
function withAllowedCopies(rules: SendingRules, message: Message): Message {
  const { email } = message.content
  if (email === undefined) return message
  const { to, cc, bcc, ...others } = email
  const allowed = (addresses: readonly EmailAddress[] = []) =>
    addresses.filter(({ address }) => isAllowed(rules, address))
  const copies = { to: allowed(to), cc: allowed(cc), bcc: allowed(bcc) }
  return { ...message, content: { ...message.content, email: { ...others, ...copies } } }
}

/** The message to the tester, which shows to whom it would have gone. */
function redirect(rules: SendingRules, message: Message, target: ResolvedTarget, address: string): Message {
  const { content: whole, subscriber, ...others } = withAllowedCopies(rules, message)
  const { unsubscribe: _unsubscribe, ...content } = whole
  // Providers that post the subscriber pass the message on to these addresses.
  const tester =
    target.kind === 'email' ? { email: target.address } : target.kind === 'phone' ? { phone: target.phoneNumber } : {}
  // The links of the content stay an example: the tester must not unsubscribe somebody else.
  const shared = {
    ...others,
    linkToken: null,
    target,
    subscriber: { ...subscriber, email: null, phone: null, ...tester },
  }
  const note = `[to ${address}]`
  if (target.kind !== 'email') return { ...shared, content: { ...content, body: `${note} ${content.body}` } }
  const subject = `${note} ${content.subject || message.workflow.name}`
  const headers = [...(content.email?.headers ?? []), { name: 'X-Original-To', value: address }]
  // An override may have replaced the recipient. Now it is the tester.
  const { replacesTo: _replacesTo, ...email } = content.email ?? {}
  return { ...shared, content: { ...content, subject, email: { ...email, headers } } }
}

/** @param rules those of the environment, read after the message was composed. */
export function handlingOf(rules: SendingRules, message: Message): Handling {
  // Without an integration, it could only be captured, even if the environment has begun to send meanwhile.
  if (rules.sending === 'capture' || message.providerId === CAPTURE) return capture(message)
  if (rules.sending === 'live') return { message }
  const address = addressOf(message.target)
  if (address !== undefined && isAllowed(rules, address)) return { message: withAllowedCopies(rules, message) }
  const target = rules.redirectTo === null ? undefined : redirected(message.target, rules.redirectTo)
  if (address === undefined || target === undefined) return capture(message)
  const redirectedTo = addressOf(target)
  return { message: redirect(rules, message, target, address), ...(redirectedTo !== undefined && { redirectedTo }) }
}
