// The possible targets of a test message: kinds of addresses, and endpoint types that a provider delivers to.
import type { graphql } from '../../graph/graphql.ts'
import type { ProviderDefinition } from '../../parts/providers.ts'
import { endpointTypes, type EndpointType } from '../channel-endpoints/endpoint-types.ts'
import type { EndpointValues } from '../channel-endpoints/endpoint-values.ts'

type AddressKind = ProviderDefinition['destinations'][number]
type Destination = ReturnType<typeof graphql.scalar<'TestDestinationInput'>>

interface AddressRow {
  readonly label: string
  readonly secret: boolean
  readonly toInput: (address: string) => Destination
}

const addressKinds = {
  EMAIL: { label: 'Email address', secret: false, toInput: (email) => ({ email }) },
  PHONE: { label: 'Phone number', secret: false, toInput: (phoneNumber) => ({ phoneNumber }) },
  WEBHOOK: { label: 'Webhook URL', secret: true, toInput: (webhookUrl) => ({ webhookUrl }) },
  DEVICE: { label: 'Device token', secret: true, toInput: (deviceToken) => ({ deviceToken }) },
} satisfies Record<AddressKind, AddressRow>

export type TestTarget =
  { readonly id: string; readonly address: AddressRow } | { readonly id: string; readonly endpointType: EndpointType }

/** Returns the targets of a provider. An address and an endpoint type can have the same name, but not the same id. */
export const targetsOf = ({ destinations, endpointTypes: types }: ProviderDefinition): readonly TestTarget[] => [
  ...destinations.map((kind) => ({ id: `address-${kind}`, address: addressKinds[kind] })),
  ...types.map((endpointType) => ({ id: `endpoint-${endpointType}`, endpointType })),
]

const optionOf = (target: TestTarget) => ({
  value: target.id,
  label: 'address' in target ? target.address.label : endpointTypes[target.endpointType].label,
})

/** Returns the targets in groups. */
export const targetGroups = (targets: readonly TestTarget[]) =>
  [
    { group: 'An address', items: targets.filter((target) => 'address' in target).map(optionOf) },
    { group: 'As a channel endpoint', items: targets.filter((target) => 'endpointType' in target).map(optionOf) },
  ].filter(({ items }) => items.length > 0)

/** Returns the destination as mutation input. */
export const destinationOf = (target: TestTarget, address: string, values: EndpointValues): Destination =>
  'address' in target
    ? target.address.toInput(address)
    : { endpoint: endpointTypes[target.endpointType].toInput(values) }
