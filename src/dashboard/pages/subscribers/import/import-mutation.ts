// The mutation of an import, which also checks in a dry run, and its input for one subscriber.
import { graphql, type VariablesOf } from '../../../graph/graphql.ts'

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
