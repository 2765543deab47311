// Credentials in a cell of an import: JSON, as `POST /v2/subscribers` takes it.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

export const providerIdsQuery = graphql(`
  query ProviderIds {
    providers {
      providerId
    }
  }
`)

/** The id of a provider, as the graph names it, such as `FCM`. */
export type ProviderId = ResultOf<typeof providerIdsQuery>['providers'][number]['providerId']

/** @throws SyntaxError that says what is wrong */
function record(value: unknown, what: string, allowed?: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError(`${what} is no object`)
  const found: Record<string, unknown> = { ...value }
  const unknown = allowed && Object.keys(found).find((name) => !allowed.includes(name))
  if (unknown !== undefined) throw new SyntaxError(`${what} has an unknown field ${JSON.stringify(unknown)}`)
  return found
}

function text(value: unknown, what: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new SyntaxError(`${what} is no text`)
  return value
}

function credentialsOf(value: unknown) {
  const { deviceTokens, webhookUrl } = record(value, 'credentials', ['deviceTokens', 'webhookUrl'])
  if (deviceTokens !== undefined && deviceTokens !== null && !Array.isArray(deviceTokens)) {
    throw new SyntaxError('deviceTokens is no list')
  }
  const tokens: readonly unknown[] | null | undefined = deviceTokens
  return {
    deviceTokens: tokens?.map((token) => text(token, 'a device token') ?? '') ?? null,
    webhookUrl: text(webhookUrl, 'webhookUrl'),
  }
}

/** Reads a list of credentials, or credentials by provider. @throws SyntaxError that says what is wrong */
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
    if (named === undefined) throw new SyntaxError(`there is no provider ${JSON.stringify(given)}`)
    return {
      providerId: named,
      integrationIdentifier: text(integrationIdentifier, 'integrationIdentifier'),
      credentials: credentialsOf(credentials),
    }
  })
}
