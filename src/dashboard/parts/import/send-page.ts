// Sends a page of an import, and again while the gateway is busy or away.
import type { Client, CombinedError, TypedDocumentNode } from 'urql'
import { type Payload, readsBack } from '../../graph/act.ts'
import { problemOf } from '../../graph/problem.ts'
import { MAX_ATTEMPTS, pauseAfter } from '../repetition.ts'

const isPassing = ({ networkError, graphQLErrors }: CombinedError) =>
  networkError !== undefined ||
  graphQLErrors.some(({ extensions }) => ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(String(extensions['code'])))

/**
 * Sends a mutation with one input. Nothing on the screen is read again: an import has hundreds of pages.
 *
 * @param document has one root field and selects `userErrors { message field }`.
 * @throws Error with the reason if the gateway rejects the page as a whole
 */
export async function sendPage<Result extends Payload, Input>(
  client: Client,
  document: TypedDocumentNode<Readonly<Record<string, Result>>, { input: Input }>,
  input: Input,
  signal: AbortSignal,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const { data, error } = await client.mutation(document, { input }, readsBack)
    if (error === undefined) {
      const [payload] = Object.values(data ?? {})
      const [problem] = payload?.userErrors ?? []
      if (payload === undefined || problem !== undefined) {
        throw new Error(problem?.message ?? 'The gateway returned no result.')
      }
      return payload
    }
    if (isPassing(error) && attempt < MAX_ATTEMPTS) await pauseAfter(attempt, signal)
    if (!isPassing(error) || attempt === MAX_ATTEMPTS || signal.aborted) throw new Error(problemOf(error).message)
  }
}
