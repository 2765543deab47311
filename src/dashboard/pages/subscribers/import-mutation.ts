// The mutation of an import, and its input for one subscriber.
import { graphql, type VariablesOf } from '../../graph/graphql.ts'

export const createSubscribersMutation = graphql(`
  mutation ImportSubscribers($input: CreateSubscribersInput!) {
    createSubscribers(input: $input) {
      created
      updated
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

export type Item = VariablesOf<typeof createSubscribersMutation>['input']['subscribers'][number]
