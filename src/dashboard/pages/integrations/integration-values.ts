// The values of the form of an integration, and the input of the mutations.
import type { ResultOf } from '../../graph/graphql.ts'
import { graphql } from '../../graph/graphql.ts'
import { formatJson, jsonObjectError } from '../../parts/form/json-object.ts'
import { pauseFields } from '../../parts/paused.tsx'
import type { ProviderDefinition, ProviderId } from '../../parts/providers.ts'
import { noRateLimit, type RateLimitValues, rateValuesOf } from './rate-limit.ts'

/** The part of an integration that the form starts with. */
export const integrationFields = graphql(
  `
    fragment IntegrationFields on Integration @_unmask {
      id
      identifier
      name
      providerId
      channel
      active
      primary
      isFallback
      fallbackAfterTimeout
      circuit
      openCircuit {
        openedAt
        nextProbeAt
      }
      conditions
      rateLimit {
        messages
        per
      }
      hasCredentials
      deliverable
      awaitsSetup
      problems {
        code
        setting
        message
      }
      version
      createdAt
      updatedAt
      settings {
        name
        isSet
        value
      }
      pause {
        ...PauseFields
      }
      inboundWebhook {
        url
        needsToken
        isVerified
        lastReportAt
        problem
      }
      textReplies {
        stopWords
        stopText
        startWords
        startText
        helpText
      }
    }
  `,
  [pauseFields],
)

export type Integration = ResultOf<typeof integrationFields>
export type Setting = ProviderDefinition['settings'][number]

export interface IntegrationValues {
  readonly providerId: ProviderId | null
  readonly name: string
  readonly identifier: string
  readonly active: boolean
  readonly primary: boolean
  readonly isFallback: boolean
  /** A JSON-logic condition as text. Empty means always. */
  readonly conditions: string
  readonly rateLimit: RateLimitValues
  /** The values of the settings as text, by name. Empty if absent, or if a stored secret is kept. */
  readonly settings: Record<string, string>
  /** Names of stored settings to remove. */
  readonly removed: string[]
}

export const noValues: IntegrationValues = {
  providerId: null,
  name: '',
  identifier: '',
  active: true,
  primary: false,
  isFallback: false,
  conditions: '',
  rateLimit: noRateLimit,
  settings: {},
  removed: [],
}

/** Only an email address or a phone number does not belong to one integration. */
export const hasFallbacks = ({ channel }: Pick<Integration, 'channel'>): boolean =>
  channel === 'EMAIL' || channel === 'SMS'

/** True if there is a stored value that the graph does not return. */
const isHidden = ({ isSet, value }: Integration['settings'][number]) => isSet && value === null

/** Returns the names of the stored settings whose values are not returned. */
export const hiddenIn = ({ settings }: Integration): string[] => settings.filter(isHidden).map(({ name }) => name)

/** Returns the form's values of an integration. */
export const valuesOf = (integration: Integration): IntegrationValues => ({
  ...noValues,
  providerId: integration.providerId,
  name: integration.name,
  identifier: integration.identifier,
  active: integration.active,
  primary: integration.primary,
  isFallback: integration.isFallback,
  conditions: integration.conditions === null ? '' : formatJson(integration.conditions),
  rateLimit: rateValuesOf(integration.rateLimit),
  settings: Object.fromEntries(integration.settings.map(({ name, value }) => [name, value ?? ''])),
})

/** Returns the settings of a form: those of the provider, then stored settings unknown to the provider. */
export function settingsOf(provider: ProviderDefinition | undefined, stored: readonly string[]): readonly Setting[] {
  const known = provider?.settings ?? []
  const unknown = stored.filter((name) => known.every((setting) => setting.name !== name))
  const others = unknown.map((name): Setting => {
    const description = 'A stored value that the provider does not use.'
    return { name, label: name, description, type: 'STRING', options: [], required: false, secret: true, default: null }
  })
  return [...known, ...others]
}

/**
 * Returns the values as a comparison may show them: the settings by their labels, without secrets.
 *
 * @param provider undefined if it is not known: then every setting is a secret
 */
export function shownValues(provider: ProviderDefinition | undefined, values: IntegrationValues): IntegrationValues {
  const shown = settingsOf(provider, Object.keys(values.settings)).flatMap(
    ({ name, label, secret }): [string, string][] => {
      const value = values.settings[name] ?? ''
      if (values.removed.includes(name)) return [[label, '(removed)']]
      if (value === '') return []
      return [[label, secret ? '(a new value)' : value]]
    },
  )
  return { ...values, settings: Object.fromEntries(shown) }
}

/** Validates the value of a setting. Returns the error message, or null. */
export function settingError({ type, label, required }: Setting, value: string, isKept: boolean): string | null {
  if (value === '') return required && !isKept ? `Enter the ${label}.` : null
  if (type === 'INTEGER' && !/^-?\d+$/.test(value)) return 'Enter a whole number.'
  return type === 'JSON' ? jsonObjectError(value) : null
}

function credentialOf({ type }: Setting, value: string): unknown {
  if (type === 'BOOLEAN') return value === 'true'
  return type === 'INTEGER' ? Number(value) : value
}

/** Returns the credentials of a new integration. Null if no setting has a value. */
export function credentialsOf(settings: readonly Setting[], values: IntegrationValues): Record<string, unknown> | null {
  const given = settings.flatMap((setting) => {
    const value = values.settings[setting.name] ?? ''
    return value === '' ? [] : [[setting.name, credentialOf(setting, value)] as const]
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

/** Returns the changed credentials of an existing integration. Null removes a setting. Empty if nothing has changed. */
export function credentialChangesOf(
  settings: readonly Setting[],
  stored: Integration,
  values: IntegrationValues,
): Record<string, unknown> {
  const changes = settings.flatMap((setting) => {
    const { name } = setting
    const current = stored.settings.find((other) => other.name === name)
    const value = values.settings[name] ?? ''
    if (values.removed.includes(name)) return [[name, null] as const]
    if (value === (current?.value ?? '')) return []
    return [[name, value === '' ? null : credentialOf(setting, value)] as const]
  })
  return Object.fromEntries(changes)
}
