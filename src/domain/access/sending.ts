// What an environment does with the messages that it would send: it sends, captures or redirects them.
import { z } from 'zod'
import { readSendingRules, type SendingRules, sendingRulesById } from '../../data/access/sending.ts'
import { type EnvironmentType, SendingMode } from '../../data/prisma/enums.ts'
import { emailAddress, storableText } from '../../lib/validation.ts'
import { assertAdmin, type Administrator } from './administration.ts'
import { audit } from '../resolver/audit.ts'
import type { EnvironmentScope, Gateway, Scope } from '../resolver/scope.ts'

export type { SendingRules }

/** Maximum destinations to which an environment sends although it redirects. */
export const MAX_ALLOWED = 100

const isEmail = (value: string) => emailAddress.safeParse(value).success
const isNumber = (value: string) => z.e164().safeParse(value).success
/** A domain, as `*@example.com`. */
const isDomain = (value: string) => value.startsWith('*@') && isEmail(`any${value.slice(1)}`)
/** The beginning of phone numbers, with the country code. */
const isPrefix = (value: string) => /^\+[1-9]\d{0,14}$/.test(value)

const redirectTo = storableText.refine(
  (value) => isEmail(value) || isNumber(value),
  'must be an email address or a phone number in E.164 format, such as +4915123456789',
)

const allowedDestination = storableText.refine(
  (value) => isEmail(value) || isDomain(value) || isPrefix(value),
  'must be an email address, a domain such as *@example.com, or a phone number or its beginning, such as +49',
)

/** The fields of an input. Those that are absent stay as they are. */
export const sendingFields = {
  sending: z.enum(SendingMode).optional().meta({
    description:
      'What happens to messages: `live` sends them, `capture` records them without sending, `redirect` sends them to `redirectTo`.',
  }),
  redirectTo: redirectTo.nullish().meta({
    description: 'Email address or phone number that receives redirected messages. Null captures them instead.',
  }),
  allowedDestinations: z.array(allowedDestination).max(MAX_ALLOWED).optional().meta({
    description:
      'Destinations to which `redirect` sends as `live` does: addresses, domains such as `*@example.com`, and phone numbers or prefixes.',
  }),
}

/** The mode of a new environment: development must not reach real people by accident. */
export const newSendingMode = (type: EnvironmentType): SendingMode => (type === 'dev' ? 'capture' : 'live')

type GivenRules = { readonly [Field in keyof SendingRules]?: SendingRules[Field] | undefined }

/** True if the fields differ from what is stored. */
function changes(stored: SendingRules, given: GivenRules): boolean {
  const { sending = stored.sending, redirectTo = stored.redirectTo, allowedDestinations } = given
  const allowed = allowedDestinations ?? stored.allowedDestinations
  return (
    sending !== stored.sending ||
    redirectTo !== stored.redirectTo ||
    JSON.stringify(allowed) !== JSON.stringify(stored.allowedDestinations)
  )
}

/**
 * Checks a change of the rules of an environment, and logs it.
 *
 * @throws Refusal `FORBIDDEN` for production without an ADMIN key.
 */
export function noteSendingChange(
  scope: Scope,
  caller: Administrator,
  stored: SendingRules & { readonly id: string; readonly type: EnvironmentType },
  given: GivenRules,
): void {
  if (!changes(stored, given)) return
  const field =
    given.sending === undefined ? (given.redirectTo === undefined ? 'allowedDestinations' : 'redirectTo') : 'sending'
  if (stored.type === 'prod') assertAdmin(caller, 'Changing what a production environment sends', field)
  const { sending: before } = stored
  // This process need not wait until the database announces the change.
  scope.afterCommit(() => scope.callers.forget(stored.id))
  audit(scope, 'sending mode changed', { environmentId: stored.id, before, after: given.sending ?? before })
}

/** The rules of the scope's environment, as its connection reads them. An environment that is gone sends nothing. */
export async function sendingRulesOf({ load, environmentId }: EnvironmentScope): Promise<SendingRules> {
  return (await load(sendingRulesById, environmentId)) ?? NOTHING
}

/** The rules of an environment, at most a second old. For the worker, outside of transactions. */
export async function cachedSendingRules(
  { db, callers }: Pick<Gateway, 'db' | 'callers'>,
  environmentId: string,
): Promise<SendingRules> {
  const found = await callers.sending.get(environmentId, async () => {
    const rules = await readSendingRules(db, environmentId)
    return rules && { environmentId, ...rules }
  })
  return found ?? NOTHING
}

const NOTHING: SendingRules = { sending: 'capture', redirectTo: null, allowedDestinations: [] }

/** True if an email address or a phone number receives messages of an environment that redirects. */
export const isAllowed = ({ allowedDestinations }: SendingRules, address: string): boolean => {
  const own = address.toLowerCase()
  return allowedDestinations.some((allowed) => {
    const one = allowed.toLowerCase()
    if (one.startsWith('*@')) return own.slice(own.lastIndexOf('@')) === one.slice(1)
    return one.startsWith('+') && !one.includes('@') ? own.startsWith(one) && !own.includes('@') : own === one
  })
}
