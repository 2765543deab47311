// The interface of providers for the domain: their settings, their destinations, and a way to send one message. The
// delivery floor implements it.
import type { EnvironmentEvaluator } from '../../evaluation/evaluator.ts'
import type { JsonObject } from '../../lib/validation.ts'
import type { Integration } from '../../data/prisma/client.ts'
import type { SendingRules } from '../../data/access/sending.ts'
import type { EndpointType } from '../../data/prisma/enums.ts'
import type { Content } from './content.ts'
import type { Endpoint } from './endpoint-type.ts'
import type { FailureCause } from './failure-cause.ts'
import type { ReceivedReports, ReportFacts, ReportRequest } from './delivery-report.ts'
import type { ProviderId } from './provider-id.ts'

/** The type of a setting's value. `json` is an object, or its text. */
export type SettingType = 'string' | 'integer' | 'boolean' | 'enum' | 'json'

/** One field of the credentials of an integration. */
export interface ProviderSetting {
  readonly name: string
  readonly label: string
  /** Sentences. */
  readonly description: string
  readonly required: boolean
  /** True if the value is never returned. */
  readonly secret: boolean
  readonly type: SettingType
  /** The allowed values of an `enum`. Empty for other types. */
  readonly options: readonly string[]
  /** The default of an absent setting, as text. Null if there is none. */
  readonly standard: string | null
}

/** A problem of one setting in the credentials of an integration. Contains no value. */
export interface SettingProblem {
  readonly code: 'missing' | 'invalid' | 'unknown'
  /** The name in the credentials. */
  readonly setting: string
  /** A sentence without its period, which starts with the name of the setting. */
  readonly message: string
  /** True if no message can be sent. False if some or all messages are sent nevertheless. */
  readonly blocking: boolean
}

/** The channel connection of an endpoint, with its token: do not store or log it. Or why it cannot be used. */
export type ResolvedConnection =
  | {
      readonly accessToken: string
      /** The id of the workspace at the service. */
      readonly workspaceId: string
    }
  /** A sentence that names the connection. */
  | { readonly objection: string }

/** A target with its secrets, as resolved for an attempt. */
export type ResolvedTarget =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'phone'; readonly phoneNumber: string }
  /** Without a connection if the endpoint names none, or its type uses none. */
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint; readonly connection?: ResolvedConnection }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'device'; readonly token: string }

/** A kind of target from a subscriber's profile or credentials. */
export type OwnTargetKind = Exclude<ResolvedTarget['kind'], 'endpoint'>

export interface ProviderFacts {
  readonly settings: readonly ProviderSetting[]
  /** Finds the problems of credentials, with the schema by which they are validated before a message is sent. */
  readonly check: (credentials: JsonObject) => readonly SettingProblem[]
  /** The kinds of targets that it supports, besides endpoints. */
  readonly targetKinds: readonly OwnTargetKind[]
  readonly endpointTypes: readonly EndpointType[]
  /** What its reports about accepted messages need. Undefined if it sends none to the gateway. */
  readonly reports?: ReportFacts | undefined
}

/** A message without an event. It contains secrets: do not store or log it. */
export interface StandaloneMessage {
  /** Sent to receivers as `Idempotency-Key`. */
  readonly id: string
  readonly integration: Pick<Integration, 'environmentId' | 'id' | 'identifier' | 'channel'> & {
    readonly providerId: ProviderId
  }
  readonly credentials: JsonObject
  readonly target: ResolvedTarget
  readonly content: Content
  /** What is merged into the request. Default: nothing. */
  readonly overrides?: readonly JsonObject[]
  readonly traceparent: string | null
}

/** Why a message was not accepted. */
export interface SendFailure {
  readonly reason: string
  readonly cause: FailureCause
  /** True if a further attempt would fail in the same way. */
  readonly permanent: boolean
  /** The minimum pause that the provider requires before the next attempt, in seconds. */
  readonly retryAfter: number | null
}

/** The response of a provider. */
export interface SendResult {
  /** The provider's HTTP or SMTP status. Null if there was no response. */
  readonly status: number | null
  /** The beginning of the provider's response, without secrets. Null if there was no response. */
  readonly answer: string | null
  /** Undefined if the provider accepted the message. */
  readonly failure?: SendFailure
  /** The provider's id of a report that it makes later. Undefined if it makes none, or did not accept the message. */
  readonly ticket?: string
  /** The provider's id of the accepted message, by which its reports name it. Undefined if it gives none. */
  readonly providerMessageId?: string
  /** True if nothing was sent, because the environment captures messages. Default: false. */
  readonly isCaptured?: boolean
  /** The address that the environment redirected the message to. Undefined if it did not. */
  readonly redirectedTo?: string
}

/** What a provider reports about a message after it accepted it. */
export interface TicketReport {
  /** The provider's error code. Null if the device's platform accepted the message. */
  readonly error: string | null
  /** True if the device is no longer registered. */
  readonly isUnregistered: boolean
}

/** What a rehearsal finds. */
export type Rehearsed = Pick<SendResult, 'failure' | 'isCaptured'>

export interface ProviderDirectory {
  /** Returns undefined if this gateway cannot send through the provider. */
  readonly factsOf: (providerId: ProviderId) => ProviderFacts | undefined
  /**
   * Sends a message immediately, with one attempt. Do not call it within a transaction, because it waits for the
   * provider.
   */
  readonly send: (
    evaluator: EnvironmentEvaluator,
    message: StandaloneMessage,
    rules: SendingRules,
  ) => Promise<SendResult>
  /** Returns why a URL is one that the gateway never calls. Undefined if it may be called. Looks nothing up. */
  readonly objectionToUrl: (url: string) => string | undefined
  /**
   * Returns the permanent failure that the message would have before its first request, such as missing credentials or
   * a target that the provider does not support. Without a failure, it would be sent or captured. Sends nothing and
   * waits for nothing.
   */
  readonly rehearse: (
    evaluator: EnvironmentEvaluator,
    message: StandaloneMessage,
    rules: SendingRules,
  ) => Promise<Rehearsed>
  /**
   * Reads the reports of accepted messages. Do not call it within a transaction, because it waits for the provider.
   *
   * @param tickets at most `MAX_TICKETS`.
   * @returns the available reports, by ticket.
   * @throws an error without secrets if the provider does not answer.
   */
  readonly readReports: (
    integration: Pick<StandaloneMessage, 'credentials'> & Pick<Integration, 'environmentId' | 'providerId'>,
    tickets: readonly string[],
  ) => Promise<ReadonlyMap<string, TicketReport>>
  /**
   * Verifies a request of a provider, then reads its reports. Do not call it within a transaction, because it may wait for
   * the provider.
   *
   * @throws Refusal `UNAUTHENTICATED` if it does not come from the account of the integration, `MALFORMED` if it cannot be
   *   read, `NOT_FOUND` if the provider sends no reports.
   */
  readonly receiveReports: (
    integration: Pick<StandaloneMessage, 'credentials'> & Pick<Integration, 'environmentId' | 'providerId'>,
    request: ReportRequest,
  ) => Promise<ReceivedReports>
}

/** The maximum number of reports that one request reads. */
export const MAX_TICKETS = 200
