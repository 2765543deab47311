// What the palette finds in the gateway: people, workflows, events, topics and integrations, each with its page.
import { graphql, type ResultOf } from '../graph/graphql.ts'
import { paths } from '../parts/paths.ts'
import { personName } from '../parts/person-name.ts'

export const searchQuery = graphql(`
  query Search($query: String!) {
    search(query: $query) {
      __typename
      ... on Subscriber {
        id
        subscriberId
        firstName
        lastName
        email
      }
      ... on Workflow {
        id
        identifier
        name
      }
      ... on Event {
        id
        transactionId
        workflowIdentifier
      }
      ... on Topic {
        id
        key
        # A topic may have no name, and a field has one type in the whole result.
        topicName: name
      }
      ... on Integration {
        id
        identifier
        name
      }
    }
  }
`)

type Result = ResultOf<typeof searchQuery>['search'][number]

/** One line of the palette. */
export interface Hit {
  readonly group: string
  readonly label: string
  /** Tells objects with the same label apart. */
  readonly note: string
  readonly path: string
  /** True for pages outside of the dashboard. Their paths are relative. */
  readonly isOutside?: boolean
}

const joined = (parts: readonly (string | null)[]) => parts.filter((part) => part !== null && part !== '').join(' · ')

/** Returns the line of a result. */
export function hitOf(result: Result): Hit {
  switch (result.__typename) {
    case 'Subscriber': {
      const { subscriberId, email } = result
      const name = personName(result)
      return {
        group: 'Subscribers',
        label: name ?? subscriberId,
        note: joined([name === null ? null : subscriberId, email]),
        path: paths.subscriber(subscriberId),
      }
    }
    case 'Workflow':
      return {
        group: 'Workflows',
        label: result.name,
        note: result.identifier,
        path: paths.workflow(result.identifier),
      }
    case 'Event':
      return {
        group: 'Events',
        label: result.transactionId,
        note: result.workflowIdentifier,
        path: paths.event(result.transactionId),
      }
    case 'Topic': {
      const { key, topicName } = result
      return { group: 'Topics', label: topicName ?? key, note: topicName === null ? '' : key, path: paths.topic(key) }
    }
    case 'Integration':
      return {
        group: 'Integrations',
        label: result.name,
        note: result.identifier,
        path: paths.integration(result.identifier),
      }
  }
}
