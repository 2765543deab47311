// What Home shows of the environment, except for its messages over time.
import { graphql } from '../../graph/graphql.ts'
import { eventRowFields } from '../events/event-row.ts'
import { healthFields } from './health-fields.ts'

export const homeQuery = graphql(
  `
    query Home {
      changePosition
      environment {
        id
        allowsUnsignedSessions
      }
      deliveryHealth {
        ...HealthFields
      }
      events(first: 10) {
        nodes {
          ...EventRowFields
        }
      }
      subscribers(first: 1) {
        nodes {
          id
        }
      }
      workflows(first: 1) {
        nodes {
          id
        }
      }
    }
  `,
  [healthFields, eventRowFields],
)
