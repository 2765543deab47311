// The settings of integrations whose names differ between the client and the gateway, by provider.
import type { ProviderId } from '../../../../domain/channel/provider-id.ts'
import type { Path } from '../../../../lib/errors.ts'
import type { JsonObject } from '../../../../lib/validation.ts'

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
}

/** Returns settings under our names. */
export function settingsFrom(provider: ProviderId, given: JsonObject): JsonObject {
  const names = namesOf[provider] ?? {}
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value]))
}

/**
 * Returns the path of a setting in the caller's words.
 *
 * @param sent the settings of the request. Their names decide if the provider is unknown, as in an update.
 */
export function settingPath(path: Path, provider: ProviderId | undefined, sent: object): Path {
  const [field, setting, ...rest] = path
  if (field !== 'credentials' && field !== 'credentialChanges') return path
  if (setting === undefined) return ['credentials']
  const candidates = provider === undefined ? Object.values(namesOf) : [namesOf[provider] ?? {}]
  const words = candidates.flatMap((names) => Object.keys(names).filter((word) => names[word] === setting))
  const word = provider === undefined ? words.find((one) => Object.hasOwn(sent, one)) : words[0]
  return ['credentials', word ?? setting, ...rest]
}
