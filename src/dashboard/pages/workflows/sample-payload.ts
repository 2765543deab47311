// The payloads that a preview or a trigger can start with.
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { formatJson } from '../../parts/form/json-object.ts'
import type { StepValues } from './draft/step-values.ts'
import { examplePayload } from './payload-schema.ts'
import { payloadOf } from './template-payload.ts'

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

/** Payloads as text. */
export interface SamplePayloads {
  /** The example of the payload schema, with the names that the templates read. */
  readonly variables: string
  /** The payload of the last event. Undefined if there is none. */
  readonly last: string | undefined
}

/** @param payloadSchema the JSON Schema as text, empty if there is none */
export function useSamplePayloads(
  workflow: string,
  payloadSchema: string,
  steps: readonly StepValues[],
): SamplePayloads {
  const [{ data }] = useQuery({ query: lastPayloadQuery, variables: { workflow } })
  const [last] = data?.events.nodes ?? []
  const variables = useMemo(
    // The schema knows the types, so its example is preferred to the names in the templates.
    () => formatJson({ ...payloadOf(steps), ...examplePayload(payloadSchema) }),
    [payloadSchema, steps],
  )
  return { variables, last: last && formatJson(last.payload) }
}
