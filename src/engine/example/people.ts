// The subscribers of the example data: a hundred people of three tenants. All addresses are fictional.

/**
 * The destination of the example messages, as it appears in the execution log. Nothing is sent to it while the data is
 * created.
 */
export const SINK = 'http://127.0.0.1:4000'

export const tenants = [
  { identifier: 'acme', name: 'Acme Rockets', plan: 'enterprise', domain: 'acme.example' },
  { identifier: 'globex', name: 'Globex', plan: 'business', domain: 'globex.example' },
  { identifier: 'initech', name: 'Initech', plan: 'starter', domain: 'initech.example' },
] as const
export type ExampleTenant = (typeof tenants)[number]

const firstNames = ['Ada', 'Grace', 'Alan', 'Katherine', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Dennis', 'Frances']
const lastNames = ['Okafor', 'Lindqvist', 'Moreau', 'Tanaka', 'Novak', 'Silva', 'Haddad', 'Byrne', 'Kowalski', 'Rossi']

const places = [
  { locale: 'en-US', timezone: 'America/New_York' },
  { locale: 'de-DE', timezone: 'Europe/Berlin' },
  { locale: 'fr-FR', timezone: 'Europe/Paris' },
  { locale: 'ja-JP', timezone: 'Asia/Tokyo' },
  { locale: 'pt-BR', timezone: 'America/Sao_Paulo' },
] as const

export interface ExamplePerson {
  readonly tenant: ExampleTenant
  /** The input of a subscriber. */
  readonly profile: {
    readonly subscriberId: string
    readonly firstName: string
    readonly lastName: string
    readonly email: string
    readonly phone: string | null
    readonly locale: string
    readonly timezone: string
    readonly data: { readonly role: string; readonly tenant: string }
    readonly channels: { readonly providerId: string; readonly credentials: object }[]
  }
  readonly isOnCall: boolean
}

/** A person of the example data. The names and addresses of the first hundred are unique. */
export function personAt(index: number): ExamplePerson {
  const firstName = firstNames[index % firstNames.length] ?? ''
  const lastName = lastNames[Math.floor(index / firstNames.length) % lastNames.length] ?? ''
  const tenant = tenants[index % 10 < 5 ? 0 : index % 10 < 8 ? 1 : 2]
  const isOnCall = index % 17 === 0
  // Some people have no phone number, and about half have the mobile application.
  const phone = index % 9 === 8 ? null : `+120255501${String(index).padStart(2, '0')}`
  const channels = [
    ...(index % 2 === 0
      ? [{ providerId: 'push-webhook', credentials: { deviceTokens: [`demo-device-${index}`] } }]
      : []),
    ...(isOnCall ? [{ providerId: 'chat-webhook', credentials: { webhookUrl: `${SINK}/chat/${index}` } }] : []),
  ]
  return {
    tenant,
    isOnCall,
    profile: {
      subscriberId: `${firstName}.${lastName}`.toLowerCase(),
      firstName,
      lastName,
      email: `${firstName}.${lastName}@${tenant.domain}`.toLowerCase(),
      phone,
      ...(places[index % places.length] ?? places[0]),
      data: { role: isOnCall ? 'operator' : index % 7 === 0 ? 'manager' : 'member', tenant: tenant.identifier },
      channels,
    },
  }
}

export const people: readonly ExamplePerson[] = Array.from({ length: 100 }, (_, index) => personAt(index))
