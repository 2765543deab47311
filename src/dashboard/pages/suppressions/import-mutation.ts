// The mutation of an import, and its input for one address.
import { graphql, type VariablesOf } from '../../graph/graphql.ts'

export const createSuppressionsMutation = graphql(`
  mutation ImportSuppressions($input: CreateSuppressionsInput!) {
    createSuppressions(input: $input) {
      existing
      suppressions {
        id
      }
      failed {
        index
        message
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export type SuppressionItem = VariablesOf<typeof createSuppressionsMutation>['input']['suppressions'][number]
