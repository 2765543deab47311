// The operations of the inbox, checked against the printed schema.
import { initGraphQLTada, type ResultOf } from 'gql.tada'
import type { introspection } from './schema.d.ts'

const graphql = initGraphQLTada<{
  introspection: introspection
  scalars: {
    DateTime: string
    JSON: unknown
    JSONObject: Record<string, unknown>
    URL: string
  }
}>()

export const openSession = graphql(`
  mutation OpenSession($input: OpenSessionInput!) {
    openSession(input: $input) {
      token
      openedSession {
        subscriberId
        contextKeys
      }
      userErrors {
        message
      }
    }
  }
`)

export const readFeed = graphql(`
  query Feed($filter: NotificationFilter, $first: Int!, $after: String) {
    session {
      notificationCounts {
        unread
        unseen
      }
      notifications(first: $first, after: $after, filter: $filter) {
        nodes {
          id
          subject
          body
          avatar
          url
          target
          severity
          createdAt
          seenAt
          readAt
          archivedAt
          snoozedUntil
          data
          payload
          tags
          workflowIdentifier
          actions {
            label
            url
            target
            isCompleted
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  }
`)

export const mark = graphql(`
  mutation Mark($input: MarkNotificationInput!) {
    markNotification(input: $input) {
      notification {
        id
        readAt
        archivedAt
      }
      userErrors {
        message
      }
    }
  }
`)

export const markAll = graphql(`
  mutation MarkAll($input: MarkNotificationsInput!) {
    markNotifications(input: $input) {
      counts {
        unread
        unseen
      }
      userErrors {
        message
      }
    }
  }
`)

export const snooze = graphql(`
  mutation Snooze($input: SnoozeNotificationInput!) {
    snoozeNotification(input: $input) {
      userErrors {
        message
      }
    }
  }
`)

export const unsnooze = graphql(`
  mutation Unsnooze($input: UnsnoozeNotificationInput!) {
    unsnoozeNotification(input: $input) {
      userErrors {
        message
      }
    }
  }
`)

export const readPreferences = graphql(`
  query Preferences($after: String) {
    session {
      preferences {
        usedChannels {
          channel
          enabled
        }
        workflowPreferences(first: 50, after: $after, filter: { active: true }) {
          nodes {
            workflow {
              identifier
              name
              critical
            }
            channels {
              channel
              enabled
            }
          }
          pageInfo {
            endCursor
            hasNextPage
          }
        }
      }
    }
  }
`)

export const updatePreferences = graphql(`
  mutation UpdatePreferences($input: UpdateSubscriberPreferencesInput!) {
    updateSubscriberPreferences(input: $input) {
      preferences {
        enabled
      }
      userErrors {
        message
      }
    }
  }
`)

export const followCounts = graphql(`
  subscription Counts($subscriberId: String!, $contextKeys: [String!]) {
    notificationCountsChanged(subscriberId: $subscriberId, contextKeys: $contextKeys) {
      unread
      unseen
      total
    }
  }
`)

type FeedSession = NonNullable<ResultOf<typeof readFeed>['session']>

export type FeedPage = FeedSession['notifications']
/** A notification as the inbox shows it and its events carry it. */
export type FeedNotification = FeedPage['nodes'][number]
export type Counts = FeedSession['notificationCounts']
/** The counts of the stream. */
export type FollowedCounts = ResultOf<typeof followCounts>['notificationCountsChanged']
export type PreferencePage = NonNullable<ResultOf<typeof readPreferences>['session']>['preferences']
export type WorkflowPreference = PreferencePage['workflowPreferences']['nodes'][number]
