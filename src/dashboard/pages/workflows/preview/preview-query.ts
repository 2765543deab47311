// The query that previews a trigger.
import { graphql, type ResultOf, type VariablesOf } from '../../../graph/graphql.ts'

export const previewQuery = graphql(`
  query PreviewWorkflow($input: PreviewTriggerInput!) {
    previewTrigger(input: $input) {
      errors
      detail
      pause {
        kind
        reason
      }
      runs {
        subscriberId
        steps {
          stepId
          type
          status
          reason
          detail
          dueAt
          notification {
            subject
            body
            url
            data
            payload
            actions {
              label
              url
            }
          }
          messages {
            destination
            integrationIdentifier
            subject
            body
            error
            incidentKey
            incidentAction
            expiresAt
            timeLimitAt
            pause {
              kind
              reason
            }
          }
        }
      }
    }
  }
`)

export type PreviewInput = VariablesOf<typeof previewQuery>['input']
export type StepPreview = ResultOf<typeof previewQuery>['previewTrigger']['runs'][number]['steps'][number]
