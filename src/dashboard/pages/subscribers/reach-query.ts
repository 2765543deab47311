// What decides whether a subscriber may be written to: addresses, suppressions, preferences and the record of consent.
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
  }
`)

export type Reached = NonNullable<ResultOf<typeof reachQuery>['subscriber']>
