// The vocabulary of `@novu/api` and `@novu/js`, below `/novu`: existing back ends and pages change an address
// (docs/moving.md).
import { Refusal } from '../../../lib/errors.ts'
import type { Vocabulary } from '../../vocabulary.ts'
import { novuUpgrades } from './socket/upgrades.ts'
import { areaOf } from './words/outside.ts'
import { prefix } from './words/prefix.ts'
import { novuTable } from './table.ts'

/**
 * The client repeats 409 and every 5xx for an hour, and reads 404 as "does not exist yet". An operation that the gateway
 * does not have is therefore a 400.
 */
function refuseOther(method: string, path: string): Refusal {
  const area = areaOf(path)
  const operation = `${method} ${path.slice(prefix.length)}`
  const message =
    area === undefined
      ? `This gateway has no operation ${operation}: see docs/moving.md`
      : `This gateway has no ${area}: see docs/moving.md`
  return new Refusal('MALFORMED', message, { ctx: { unsupported: operation } })
}

/** A 409 means "try again" to the client. Only a request whose idempotency key is in use can be tried again. */
function convert(refusal: Refusal): Refusal {
  if (refusal.kind !== 'CONFLICT' || refusal.retryAfter !== undefined) return refusal
  return new Refusal('MALFORMED', refusal.message, { issues: refusal.issues, ctx: refusal.ctx })
}

/** The browser inbox parses the body of every error. */
const hasJsonErrors = (path: string) => path.startsWith(`${prefix}/v1/inbox/`)

export const novu: Vocabulary = {
  prefix,
  table: novuTable,
  upgrades: novuUpgrades,
  refuseOther,
  convert,
  hasJsonErrors,
}
