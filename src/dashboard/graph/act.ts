// Mutations: sends one, and returns its payload or what went wrong.
import type { TypedDocumentNode } from 'urql'
import { useMutation } from 'urql'
import { type Problem, problemOf } from './problem.ts'

export interface Payload {
  readonly userErrors: readonly { readonly message: string; readonly field: readonly string[] | null }[]
}

export type Outcome<Result> =
  | { readonly ok: true; readonly payload: Result }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] }

/**
 * Returns a function that sends a mutation with one input, and whether the mutation is in progress.
 *
 * The document must have one root field and select `userErrors { message field }`.
 */
export function useAct<Result extends Payload, Input>(
  document: TypedDocumentNode<Readonly<Record<string, Result>>, { input: Input }>,
): readonly [act: (input: Input) => Promise<Outcome<Result>>, pending: boolean] {
  const [{ fetching }, execute] = useMutation(document)
  const act = async (input: Input): Promise<Outcome<Result>> => {
    const { data, error } = await execute({ input })
    if (error !== undefined) return { ok: false, problems: [problemOf(error)] }
    const [payload] = Object.values(data ?? {})
    if (payload === undefined) return { ok: false, problems: [{ message: 'The gateway returned no result.' }] }
    const [first, ...others] = payload.userErrors.map(({ message, field }): Problem =>
      field === null ? { message } : { message, field },
    )
    return first === undefined ? { ok: true, payload } : { ok: false, problems: [first, ...others] }
  }
  return [act, fetching]
}
