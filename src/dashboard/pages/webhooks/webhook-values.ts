// A webhook subscription while it is edited: converted from the graph to the values of fields, and back to an input.
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import type { WebhookEventType } from './event-types.ts'

export const webhookFields = graphql(`
  fragment WebhookFields on WebhookSubscription @_unmask {
    id
    identifier
    url
    description
    eventTypes
    active
    disabledReason
    failingSince
    formerSecretUntil
    includeContent
    contextKeys
    createdAt
    updatedAt
    version
  }
`)

export type WebhookSubscription = ResultOf<typeof webhookFields>

/** Which messages a subscription receives, by their contexts. */
export const contextChoices = {
  ALL: 'All messages',
  NONE: 'Messages without a context',
  EXACT: 'Messages under exactly these contexts',
} as const
type ContextChoice = keyof typeof contextChoices

export interface WebhookValues {
  readonly identifier: string
  readonly url: string
  readonly description: string
  /** An own secret of a new subscription. Empty for one that the gateway makes. */
  readonly secret: string
  readonly eventTypes: WebhookEventType[]
  readonly includeContent: boolean
  readonly contexts: ContextChoice
  /** Only those of the choice `EXACT` count. */
  readonly contextKeys: string[]
}

export const newWebhook: WebhookValues = {
  identifier: '',
  url: '',
  description: '',
  secret: '',
  eventTypes: [],
  includeContent: false,
  contexts: 'ALL',
  contextKeys: [],
}

const choiceOf = (keys: readonly string[] | null): ContextChoice => {
  if (keys === null) return 'ALL'
  return keys.length === 0 ? 'NONE' : 'EXACT'
}

/** Returns the form's values of a subscription. */
export const webhookValues = (webhook: WebhookSubscription): WebhookValues => ({
  identifier: webhook.identifier,
  url: webhook.url ?? '',
  description: webhook.description ?? '',
  secret: '',
  eventTypes: [...webhook.eventTypes],
  includeContent: webhook.includeContent,
  contexts: choiceOf(webhook.contextKeys),
  contextKeys: [...(webhook.contextKeys ?? [])],
})

const keysOf = ({ contexts, contextKeys }: WebhookValues): string[] | null => {
  if (contexts === 'ALL') return null
  return contexts === 'NONE' ? [] : contextKeys
}

/** Returns the subscription as mutation input, without its identifier and secret. */
export const webhookInput = (values: WebhookValues) => ({
  url: values.url.trim(),
  description: values.description.trim() === '' ? null : values.description,
  eventTypes: values.eventTypes,
  includeContent: values.includeContent,
  contextKeys: keysOf(values),
})
