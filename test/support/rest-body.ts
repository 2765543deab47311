// The fields that tests read in the bodies of REST responses. Each response has some of them; the contract checks
// which.

/** The reasons why a field of a request was rejected. */
interface RejectedField {
  readonly messages: readonly [string, ...string[]]
  readonly value?: unknown
}

interface Channel {
  readonly _integrationId: string
  readonly providerId: string
  readonly credentials: { readonly deviceTokens?: readonly string[]; readonly webhookUrl?: string }
}

interface Preference {
  readonly enabled: boolean
  readonly channels: Readonly<Record<string, boolean>>
  readonly overrides: readonly unknown[]
}

interface Step {
  readonly stepId: string
}

/** A list whose elements a test reads by index. If an element is missing, reading it throws and the test fails. */
type List<Item> = readonly [Item, Item, Item, ...Item[]]

/** The fields of one object. */
export interface RestObject {
  readonly _id: string
  readonly _parentId: string
  readonly apiKeys: List<{ readonly key: string }>
  readonly body: string
  readonly channels: List<Channel>
  readonly createdAt: string
  readonly conditions: unknown
  readonly endpoint: Readonly<Record<string, unknown>>
  readonly firstName: string
  readonly global: Preference
  readonly identifier: string
  readonly key: string
  readonly name: string
  readonly notes?: readonly string[]
  readonly pause: unknown
  readonly payload: Readonly<Record<string, unknown>>
  readonly preferences: readonly unknown[]
  readonly primary: boolean
  readonly status: string
  readonly steps: List<Step>
  readonly subscriberId: string
  readonly transactionId: string
  readonly warnings?: readonly string[]
  readonly workflows: List<Preference>
}

/** The body of a response: an object, a page of objects, or an error. */
export interface RestBody extends RestObject {
  readonly created: readonly unknown[]
  readonly data: List<RestObject>
  readonly errorId: string
  readonly errors: Readonly<Record<string, RejectedField>>
  readonly failed: readonly unknown[]
  readonly message: string
  readonly meta: unknown
  readonly next: string | null
  readonly previous: string | null
  readonly token: string
  readonly totalCount: number
  readonly updated: readonly unknown[]
}
