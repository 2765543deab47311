// The mutation that replaces the credentials of a subscriber for a provider.
import { graphql } from '../../graph/graphql.ts'

export const setCredentialsMutation = graphql(`
  mutation SetSubscriberCredentials($input: SetSubscriberCredentialsInput!) {
    setSubscriberCredentials(input: $input) {
      subscriber {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)
