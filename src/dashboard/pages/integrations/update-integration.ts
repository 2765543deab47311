// The mutation that changes an integration, used by its form and its switches.
import { graphql } from '../../graph/graphql.ts'
import { integrationFields } from './integration-values.ts'

export const updateIntegrationMutation = graphql(
  `
    mutation UpdateIntegration($input: UpdateIntegrationInput!) {
      updateIntegration(input: $input) {
        integration {
          ...IntegrationFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [integrationFields],
)
