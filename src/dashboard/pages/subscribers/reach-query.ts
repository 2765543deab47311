// What decides whether a subscriber may be written to: destinations, suppressions, preferences and the record of consent.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

export const reachQuery = graphql(`
  query SubscriberReach($subscriberId: String!) {
    subscriber(subscriberId: $subscriberId) {
      id
      email
      phone
      suppressions {
        id
        channel
        reason
        detail
        contextKeys
        createdAt
        expiresAt
        integration {
          id
          identifier
        }
      }
      # Null, with an error, if they cannot be decrypted.
      channels {
        providerId
        deviceTokens
        webhookUrl
      }
      channelEndpoints(first: 100) {
        nodes {
          id
          channel
        }
        pageInfo {
          hasNextPage
        }
      }
      preferences {
        channels {
          channel
          enabled
        }
        usedChannels {
          channel
        }
        categories {
          enabled
          category {
            key
            name
          }
          channels {
            channel
            enabled
            decidedBy
          }
        }
      }
      preferenceContexts {
        contextKeys
      }
      # The newest choices. Older ones than these are in the consent history.
      preferenceChanges(first: 100, filter: { contextKeys: [] }) {
        nodes {
          at
          scope
          categoryKey
          channel
          enabled
          source
        }
      }
    }
    providers(filter: { supported: true, channels: [CHAT, PUSH, TOOL] }) {
      providerId
      channel
    }
  }
`)

/** The answer about a subscriber that exists. */
export interface Reached {
  readonly person: NonNullable<ResultOf<typeof reachQuery>['subscriber']>
  /** The providers that take credentials. */
  readonly providers: ResultOf<typeof reachQuery>['providers']
}
