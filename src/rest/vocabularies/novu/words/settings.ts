// The settings of integrations whose names differ between the client and the gateway, by provider.
import type { ProviderId } from '../../../../domain/channel/provider-id.ts'
import type { JsonObject } from '../../../../lib/validation.ts'
import type { Path } from '../../../../lib/errors.ts'

type Names = Readonly<Record<string, string>>

const signed: Names = { secretKey: 'hmacSecretKey' }

/** Our name of each setting, by the client's. Settings that are not listed have the same name. */
const namesOf: Partial<Record<ProviderId, Names>> = {
  telegram: { apiToken: 'botToken' },
  line: { apiToken: 'channelAccessToken' },
  'email-webhook': signed,
  'push-webhook': signed,
  'chat-webhook': signed,
  'tool-webhook': signed,
  'generic-sms': { baseUrl: 'webhookUrl' },
}

/** Returns settings under our names. */
export function settingsFrom(provider: ProviderId, given: JsonObject): JsonObject {
  const names = namesOf[provider] ?? {}
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value]))
}

/** Returns the path of a setting in the caller's words. The provider of an update is unknown, so any may be meant. */
export function settingPath(path: Path): Path {
  const [field, setting, ...rest] = path
  if (field !== 'credentials' && field !== 'credentialChanges') return path
  if (typeof setting !== 'string') return ['credentials']
  const known = Object.values(namesOf).flatMap((names) => Object.entries(names))
  const word = known.find(([, own]) => own === setting)?.[0]
  return ['credentials', word ?? setting, ...rest]
}
