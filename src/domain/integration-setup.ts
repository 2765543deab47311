// The set-up of integrations: the problems that keep one from delivering, and what they allow.
import { z } from 'zod'
import type { Integration as Row } from '../data/prisma/client.ts'
import type { Channel } from '../data/prisma/enums.ts'
import { type Issue, Refusal, refuse } from '../lib/errors.ts'
import { fieldName, type JsonObject } from '../lib/validation.ts'
import type { SettingProblem } from './channel/provider-directory.ts'
import { isChannel, kindOf, type ProviderId, providerOf } from './channel/provider-id.ts'
import { openCredentials } from './integration-setting.ts'
import { ifDecryptable } from './resolver/decrypt.ts'
import type { Scope } from './resolver/scope.ts'

/** True to reject settings that are missing or unknown, instead of storing an integration that cannot deliver. */
export const requireComplete = z.boolean().nullish()

/** A reason why an integration cannot deliver, or a setting that has no effect. */
export interface IntegrationProblem extends Omit<SettingProblem, 'code' | 'setting'> {
  readonly code:
    'provider_not_implemented' | 'credentials_unreadable' | 'setting_missing' | 'setting_invalid' | 'setting_unknown'
  /** The name in the credentials. Null for problems of the whole integration. */
  readonly setting: string | null
}

const whole = (code: IntegrationProblem['code'], message: string): readonly IntegrationProblem[] => [
  { code, setting: null, message, blocking: true },
]

/** Finds the problems of an integration. @param credentials undefined if they cannot be decrypted. */
function setupProblems(
  { providers }: Pick<Scope, 'providers'>,
  providerId: ProviderId,
  credentials: JsonObject | undefined,
): readonly IntegrationProblem[] {
  // The feed is stored, not sent.
  if (kindOf(providerId) === 'in_app') return []
  const facts = providers.factsOf(providerId)
  if (facts === undefined) {
    return whole('provider_not_implemented', `this gateway does not implement the provider ${providerId}`)
  }
  if (credentials === undefined) return whole('credentials_unreadable', 'the credentials cannot be decrypted')
  return facts.check(credentials).map(({ code, ...problem }) => ({ code: `setting_${code}` as const, ...problem }))
}

/** Finds the problems of a database row, blocking ones first. */
export const storedProblems = (scope: Scope, row: Row): readonly IntegrationProblem[] =>
  setupProblems(
    scope,
    providerOf(row.providerId),
    ifDecryptable(() => openCredentials(scope, row)),
  ).toSorted((one, other) => Number(other.blocking) - Number(one.blocking))

export const isBlocking = ({ blocking }: IntegrationProblem) => blocking

/** The field of the input that has the credentials. */
export type CredentialsField = 'credentials' | 'credentialChanges'

/** @throws Refusal `INVALID` with each problem at its credential. */
function assertNone(field: CredentialsField, problems: readonly IntegrationProblem[], because = ''): void {
  if (problems.length === 0) return
  const issues = problems.map(({ setting, message }): Issue => {
    const path = setting === null ? [field] : [field, setting]
    const text = setting === null ? message : `${fieldName([field])}.${message}`
    return { path, message: `${text}${because}`, value: undefined }
  })
  throw new Refusal('INVALID', issues.map(({ message }) => message).join('; '), { issues })
}

const sameValue = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Rejects invalid values, which no further setting can correct. A value that is stored already may stay.
 *
 * @throws Refusal `INVALID` with each of them.
 */
export function assertValues(
  scope: Scope,
  providerId: ProviderId,
  field: CredentialsField,
  credentials: JsonObject | null,
  stored: JsonObject = {},
): void {
  const wrong = setupProblems(scope, providerId, credentials ?? {}).filter(
    ({ code, setting }) =>
      code === 'setting_invalid' && setting !== null && !sameValue(credentials?.[setting], stored[setting]),
  )
  assertNone(field, wrong)
}

/**
 * Requires every setting that all destinations need, and rejects settings that have no effect.
 *
 * @throws Refusal `INVALID` with each problem at its setting, or at `providerId` if the gateway does not implement it.
 */
export function assertComplete(
  scope: Scope,
  providerId: ProviderId,
  field: CredentialsField,
  credentials: JsonObject | null,
): void {
  const problems = setupProblems(scope, providerId, credentials ?? {})
  const missing = problems.find(({ code }) => code === 'provider_not_implemented')
  if (missing !== undefined) {
    throw refuse('INVALID', `providerId is not supported: ${missing.message}`, 'providerId', providerId)
  }
  // A setting that only some destinations require may be absent for good.
  assertNone(
    field,
    problems.filter(({ code, blocking }) => blocking || code === 'setting_unknown'),
  )
}

/** An integration that cannot deliver starts inactive, and becomes active once its set-up is complete. */
export function activityAtStart(
  scope: Scope,
  providerId: ProviderId,
  credentials: JsonObject | null,
  isWanted: boolean,
): Pick<Row, 'active' | 'awaitsSetup'> {
  const canDeliver = !setupProblems(scope, providerId, credentials ?? {}).some(isBlocking)
  return { active: isWanted && canDeliver, awaitsSetup: isWanted && !canDeliver }
}

/** What an update gives. `credentials` is undefined if they stay, and null if all are removed. */
interface Given {
  readonly active: boolean | undefined
  readonly field: CredentialsField
  readonly credentials: JsonObject | null | undefined
}

/**
 * Decides whether an updated integration is active. One that waits for its set-up becomes active once it is complete.
 *
 * One from which required settings are removed becomes inactive.
 *
 * @throws Refusal `INVALID` if it cannot deliver and would be activated, if it is active and new credentials lack a
 *   required setting, or if the value of a setting is invalid.
 */
export function activityAfter(
  scope: Scope,
  row: Row,
  { active, field, credentials }: Given,
): Pick<Row, 'active' | 'awaitsSetup'> {
  if (active === false) return { active: false, awaitsSetup: false }
  const providerId = providerOf(row.providerId)
  const stored = ifDecryptable(() => openCredentials(scope, row))
  const before = setupProblems(scope, providerId, stored).filter(isBlocking)
  const after =
    credentials === undefined ? before : setupProblems(scope, providerId, credentials ?? {}).filter(isBlocking)
  if (credentials) assertValues(scope, providerId, field, credentials, stored)
  if (row.active) {
    const known = new Set(before.map(({ code, setting }) => `${code} ${setting}`))
    const added = after.filter(({ code, setting }) => !known.has(`${code} ${setting}`))
    if (added.length === 0) return { active: true, awaitsSetup: false }
    // Changes of single settings lack one only if it was removed on purpose.
    if (credentials && field === 'credentials') assertNone(field, added, ' while the integration is active')
    return { active: false, awaitsSetup: true }
  }
  if (after.length === 0) return { active: active ?? row.awaitsSetup, awaitsSetup: false }
  if (active === true) {
    const reasons = after.map(({ message }) => message).join('; ')
    throw refuse('INVALID', `active cannot be true, because the integration cannot deliver: ${reasons}`, 'active', true)
  }
  return { active: false, awaitsSetup: row.awaitsSetup }
}

/**
 * Returns the channel of a provider. @throws Refusal `INVALID` if the provider has no channel, or a channel other than
 * `given`.
 */
export function channelOf(provider: ProviderId, given: Channel | null | undefined): Channel {
  const kind = kindOf(provider)
  if (!isChannel(kind)) {
    throw refuse('INVALID', `providerId must be a provider with a channel, and ${provider} has none`, 'providerId')
  }
  if (given && given !== kind) {
    throw refuse('INVALID', `channel must be ${kind}, the channel of ${provider}`, 'channel', given)
  }
  return kind
}
