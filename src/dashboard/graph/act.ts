// Mutations: sends one, and returns its payload or what went wrong.
import type { Client, CombinedError, TypedDocumentNode } from 'urql'
import { useMutation } from 'urql'
import { type Problem, problemOf } from './problem.ts'

export interface Payload {
  readonly userErrors: readonly { readonly message: string; readonly field: readonly string[] | null }[]
}

export type Outcome<Result> =
  | { readonly ok: true; readonly payload: Result }
  | {
      readonly ok: false
      readonly problems: readonly [Problem, ...Problem[]]
      /** True if the request failed, rather than what it asked for. */
      readonly isRequest?: true
    }

type Mutation<Result, Input> = TypedDocumentNode<Readonly<Record<string, Result>>, { input: Input }>

interface Sent<Result> {
  readonly data?: Readonly<Record<string, Result>> | undefined
  readonly error?: CombinedError | undefined
}

function outcomeOf<Result extends Payload>({ data, error }: Sent<Result>): Outcome<Result> {
  if (error !== undefined) return { ok: false, problems: [problemOf(error)], isRequest: true }
  const [payload] = Object.values(data ?? {})
  if (payload === undefined) return { ok: false, problems: [{ message: 'The gateway returned no result.' }] }
  const [first, ...others] = payload.userErrors.map(({ message, field }): Problem =>
    field === null ? { message } : { message, field },
  )
  return first === undefined ? { ok: true, payload } : { ok: false, problems: [first, ...others] }
}

/** Sends a mutation with one input outside of a component. The document is like that of `useAct`. */
export const sendAct = async <Result extends Payload, Input>(
  client: Client,
  document: Mutation<Result, Input>,
  input: Input,
): Promise<Outcome<Result>> => outcomeOf(await client.mutation(document, { input }))

/** The context of a mutation whose result has everything that it changes on the screen, so that nothing is read again. */
export const readsBack = { readsBack: true }

/**
 * Returns a function that sends a mutation with one input, and whether the mutation is in progress.
 *
 * The document must have one root field and select `userErrors { message field }`.
 *
 * @param context `readsBack`, or none: then every query on the screen is repeated after the mutation.
 */
export function useAct<Result extends Payload, Input>(
  document: Mutation<Result, Input>,
  context?: typeof readsBack,
): readonly [act: (input: Input) => Promise<Outcome<Result>>, pending: boolean] {
  const [{ fetching }, execute] = useMutation(document)
  const act = async (input: Input): Promise<Outcome<Result>> => outcomeOf(await execute({ input }, context))
  return [act, fetching]
}
