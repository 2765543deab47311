// The event fields that every list of events shows.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

export const eventRowFields = graphql(`
  fragment EventRowFields on Event @_unmask {
    id
    transactionId
    workflowIdentifier
    workflow {
      id
      name
    }
    status
    outcome
    createdAt
  }
`)

export type EventRow = ResultOf<typeof eventRowFields>
