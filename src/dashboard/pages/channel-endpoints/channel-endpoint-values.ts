// The values of the form of a channel endpoint.
import { contextKeysError } from '../../parts/form/context-keys-input.tsx'
import { endpointTypes, type EndpointType } from './endpoint-types.ts'
import type { EndpointValues } from './endpoint-values.ts'

export interface ChannelEndpointValues extends EndpointValues {
  readonly subscriberId: string | null
  readonly integrationIdentifier: string
  readonly type: EndpointType | null
  readonly identifier: string
  readonly connectionIdentifier: string
  readonly contexts: string[]
}

/** Returns the error message of each field that has one. */
export function errorsOf(values: ChannelEndpointValues): Record<string, string> {
  const { subscriberId, integrationIdentifier, type, contexts } = values
  const errors: Record<string, string> = {}
  if (subscriberId === null) errors['subscriberId'] = 'Choose a subscriber.'
  if (integrationIdentifier === '') errors['integrationIdentifier'] = 'Choose an integration.'
  const contextError = contextKeysError(contexts)
  if (contextError !== null) errors['contexts'] = contextError
  if (type === null) return { ...errors, type: 'Choose a type.' }
  for (const { name, label, required } of endpointTypes[type].fields) {
    if (required && values[name] === '') errors[name] = `Enter the ${label}.`
  }
  return errors
}
