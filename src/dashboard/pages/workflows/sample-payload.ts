// The initial payload of a preview or a trigger.
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { formatJson } from '../../parts/form/json-object.ts'
import { examplePayload } from './payload-schema.ts'

const lastPayloadQuery = graphql(`
  query LastPayload($workflow: String!) {
    events(first: 1, filter: { workflowIdentifier: $workflow }) {
      nodes {
        id
        payload
      }
    }
  }
`)

/**
 * Returns the example of the payload schema or, without a schema, the payload of the last event.
 *
 * @param payloadSchema the JSON Schema as text, empty if there is none
 */
export function useSamplePayload(workflow: string, payloadSchema: string): string {
  const [{ data }] = useQuery({ query: lastPayloadQuery, variables: { workflow }, pause: payloadSchema !== '' })
  const [last] = data?.events.nodes ?? []
  return payloadSchema === '' && last ? formatJson(last.payload) : examplePayload(payloadSchema)
}
