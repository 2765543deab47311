// The fields that show the health of the environment.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

export const healthFields = graphql(`
  fragment HealthFields on DeliveryHealth @_unmask {
    since
    failedDeliveries
    integrations {
      integrationIdentifier
      failedAttempts
      sent
      failing
      lastFailure {
        id
        event {
          id
          transactionId
        }
      }
    }
    receipts {
      integrationIdentifier
      sent
      bounced
      complained
      bounceRate
      complaintRate
    }
    workflows {
      workflowIdentifier
      failedMessages
      failedRuns
      workflow {
        id
        suspension {
          reason
        }
      }
    }
    queue {
      kind
      due
      paused
      rateLimited
      oldestDueSince
    }
  }
`)

export type DeliveryHealth = ResultOf<typeof healthFields>
