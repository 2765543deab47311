// Who sends a request: an API key, a session, or nobody.
import type { ApiKeyAccess } from '../../data/prisma/enums.ts'
import type { Permission } from './permission.ts'

/** The fields of every caller. */
interface AnyCaller {
  readonly environmentId: string
  readonly organizationId: string
  /** The database with the rows of the environment. Null for the main one. */
  readonly database: string | null
  readonly permissions: ReadonlySet<Permission>
}

/** A caller with an API key. */
export interface ApiKeyCaller extends AnyCaller {
  readonly kind: 'apiKey'
  readonly apiKeyId: string
  readonly access: ApiKeyAccess
  readonly userId: string
}

/** A browser session for one subscriber under one exact set of contexts. */
export interface SessionCaller extends AnyCaller {
  readonly kind: 'session'
  readonly subscriberId: string
  /** True if its subscriber or its contexts were not signed. */
  readonly isUnsigned: boolean
  /** The row id of the subscriber with whom the session ends. Undefined if it does not. */
  readonly subscriberRowId?: string | undefined
  /** Sorted and unique, as stored. */
  readonly contextKeys: readonly string[]
  readonly expiresAt: Date
}

/** A caller that only has the public identifier of an environment. */
export interface PublicCaller extends AnyCaller {
  readonly kind: 'public'
}

/** Someone who follows a link in a message to one subscriber, under the contexts of that message. */
export interface LinkCaller extends AnyCaller {
  readonly kind: 'link'
  readonly subscriberId: string
  /** Sorted and unique, as stored. */
  readonly contextKeys: readonly string[]
}

/** A provider that reports the delivery of messages, or passes on a reply to one. */
export interface ProviderCaller extends AnyCaller {
  readonly kind: 'provider'
  /** The row id of the integration whose signature or token the request has. */
  readonly integrationId: string
}

/** A dashboard session, which has the access of an API key. */
export interface DashboardCaller extends AnyCaller {
  readonly kind: 'dashboard'
  readonly sessionId: string
  /** The first session of the sign-in. */
  readonly signInId: string
  /** The environment of the API key or code that signed in. Differs from the session's only with the access ADMIN. */
  readonly homeId: string
  /** The API key that signed in. Null if a code did. */
  readonly apiKeyId: string | null
  readonly access: ApiKeyAccess
  /** The user who owns the API keys that this session creates. */
  readonly userId: string
  readonly expiresAt: Date
}

/** A request without credentials. It can open a dashboard session with the credentials in its input. */
export interface AnonymousCaller extends AnyCaller {
  readonly kind: 'anonymous'
}

/** The operator at the command line, who administers every environment of the organization without an API key. */
export interface OperatorCaller extends AnyCaller {
  readonly kind: 'operator'
  readonly access: 'admin'
  /** The user who owns the API keys that the operator creates. */
  readonly userId: string
}

export type Caller =
  | ApiKeyCaller
  | SessionCaller
  | LinkCaller
  | ProviderCaller
  | DashboardCaller
  | PublicCaller
  | AnonymousCaller
  | OperatorCaller
