// The mutations of acts on many objects.
import { graphql } from '../../graph/graphql.ts'

export const retryDelivery = graphql(`
  mutation BulkRetryDelivery($input: RetryDeliveryInput!) {
    retryDelivery(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const retryDeliveries = graphql(`
  mutation RetryDeliveries($input: RetryDeliveriesInput!) {
    retryDeliveries(input: $input) {
      retriedCount
      remainingCount
      next
      userErrors {
        message
        field
      }
    }
  }
`)

export const retryEvent = graphql(`
  mutation BulkRetryEvent($input: RetryEventInput!) {
    retryEvent(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const retryWorkflowRuns = graphql(`
  mutation RetryWorkflowRuns($input: RetryWorkflowRunsInput!) {
    retryWorkflowRuns(input: $input) {
      retriedCount
      remainingCount
      next
      userErrors {
        message
        field
      }
    }
  }
`)

export const retryWorkflowRun = graphql(`
  mutation BulkRetryWorkflowRun($input: RetryWorkflowRunInput!) {
    retryWorkflowRun(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const cancelEvent = graphql(`
  mutation BulkCancelEvent($input: CancelEventInput!) {
    cancelEvent(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const cancelEvents = graphql(`
  mutation CancelEvents($input: CancelEventsInput!) {
    cancelEvents(input: $input) {
      eventCount
      remainingEventCount
      hasMore
      userErrors {
        message
        field
      }
    }
  }
`)

export const cancelWorkflowRun = graphql(`
  mutation BulkCancelWorkflowRun($input: CancelWorkflowRunInput!) {
    cancelWorkflowRun(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const cancelWorkflowRuns = graphql(`
  mutation CancelWorkflowRuns($input: CancelWorkflowRunsInput!) {
    cancelWorkflowRuns(input: $input) {
      cancelledCount
      remainingCount
      userErrors {
        message
        field
      }
    }
  }
`)

export const deleteSubscriber = graphql(`
  mutation BulkDeleteSubscriber($input: DeleteSubscriberInput!) {
    deleteSubscriber(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const deleteSubscribers = graphql(`
  mutation DeleteSubscribers($input: DeleteSubscribersInput!) {
    deleteSubscribers(input: $input) {
      deletedCount
      remainingCount
      userErrors {
        message
        field
      }
    }
  }
`)

export const deleteTopicSubscriptions = graphql(`
  mutation BulkUnsubscribe($input: DeleteTopicSubscriptionsInput!) {
    deleteTopicSubscriptions(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const deleteMatchingTopicSubscriptions = graphql(`
  mutation DeleteMatchingTopicSubscriptions($input: DeleteMatchingTopicSubscriptionsInput!) {
    deleteMatchingTopicSubscriptions(input: $input) {
      deletedCount
      remainingCount
      userErrors {
        message
        field
      }
    }
  }
`)

export const revokeApiKey = graphql(`
  mutation BulkRevokeApiKey($input: RevokeApiKeyInput!) {
    revokeApiKey(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

export const deleteIntegration = graphql(`
  mutation BulkDeleteIntegration($input: DeleteIntegrationInput!) {
    deleteIntegration(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)
