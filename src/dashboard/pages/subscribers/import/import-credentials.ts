// Credentials in a cell of an import, as JSON in the format of `POST /v2/subscribers`.
import { graphql, type ResultOf } from '../../../graph/graphql.ts'

export const providerIdsQuery = graphql(`
  query ProviderIds {
    providers {
      providerId
    }
  }
`)

/** A provider id in the graph's notation, such as `FCM`. */
export type ProviderId = ResultOf<typeof providerIdsQuery>['providers'][number]['providerId']

/** @throws SyntaxError with the reason */
function record(value: unknown, what: string, allowed?: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError(`${what} must be an object`)
  const found: Record<string, unknown> = { ...value }
  const unknown = allowed && Object.keys(found).find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw new SyntaxError(`${what} must not have the field ${JSON.stringify(unknown)}`)
  return found
}

function text(value: unknown, what: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new SyntaxError(`${what} must be a string`)
  return value
}

function credentialsOf(value: unknown) {
  const { deviceTokens, webhookUrl } = record(value, 'credentials', ['deviceTokens', 'webhookUrl'])
  if (deviceTokens !== undefined && deviceTokens !== null && !Array.isArray(deviceTokens)) {
    throw new SyntaxError('deviceTokens must be a list')
  }
  const tokens: readonly unknown[] | null | undefined = deviceTokens
  return {
    deviceTokens: tokens?.map((token) => text(token, 'a device token') ?? '') ?? null,
    webhookUrl: text(webhookUrl, 'webhookUrl'),
  }
}

/** Reads a list of credentials, or credentials by provider. @throws SyntaxError with the reason */
export function channelInputs(cell: string, providers: readonly ProviderId[]) {
  const value: unknown = JSON.parse(cell)
  const list: readonly unknown[] = Array.isArray(value)
    ? value
    : Object.entries(record(value, 'the cell')).map(([providerId, credentials]) => ({ providerId, credentials }))
  return list.map((entry) => {
    const { providerId, integrationIdentifier, credentials } = record(entry, 'an entry', [
      'providerId',
      'integrationIdentifier',
      'credentials',
    ])
    const given = text(providerId, 'providerId') ?? ''
    const named = providers.find((id) => id === given.toUpperCase().replaceAll('-', '_'))
    if (named === undefined)
      throw new SyntaxError(`providerId must be a chat or push provider, not ${JSON.stringify(given)}`)
    return {
      providerId: named,
      integrationIdentifier: text(integrationIdentifier, 'integrationIdentifier'),
      credentials: credentialsOf(credentials),
    }
  })
}
