// The query that previews a trigger.
import { graphql, type ResultOf, type VariablesOf } from '../../../graph/graphql.ts'
import { envelopeFields } from '../../events/email-envelope.tsx'

export const previewQuery = graphql(
  `
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
              routes {
                integrationIdentifier
                isPresent
                leftReason
              }
              subject
              body
              email {
                ...EnvelopeFields
              }
              error
              incidentKey
              incidentAction
              expiresAt
              timeLimitAt
              rateLimitedUntil
              circuitOpenUntil
              pause {
                kind
                reason
              }
            }
          }
        }
      }
    }
  `,
  [envelopeFields],
)

export type PreviewInput = VariablesOf<typeof previewQuery>['input']
export type StepPreview = ResultOf<typeof previewQuery>['previewTrigger']['runs'][number]['steps'][number]
