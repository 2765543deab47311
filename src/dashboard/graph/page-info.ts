// The part of every connection that the paging buttons need.
import { graphql } from './graphql.ts'

export const pageInfoFields = graphql(`
  fragment PageInfoFields on PageInfo @_unmask {
    startCursor
    endCursor
    hasNextPage
    hasPreviousPage
  }
`)
