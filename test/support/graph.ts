// The types of the graph's answers, from the text of each operation. Those of the dashboard serve here too.
import type { graphql, ResultOf } from '../../src/dashboard/graph/graphql.ts'

/** The fields of all members of a union: a test knows which member it asked for. */
type Merged<Union> = {
  readonly [Name in Union extends unknown ? keyof Union : never]: Present<
    Union extends Readonly<Record<Name, infer Value>> ? Value : never
  >
}

/**
 * An answer as the test that asked reads it: with the objects and the elements that it asked for. If one is missing, reading
 * it throws, and the test fails. Scalars can be null.
 */
type Present<Value> = [Extract<Value, object>] extends [never]
  ? Value
  : Extract<Value, object> extends readonly (infer Item)[]
    ? readonly [Present<Item>, Present<Item>, Present<Item>, ...Present<Item>[]]
    : Merged<Extract<Value, object>>

// @ts-expect-error -- Of the two signatures of `graphql`, one is for documents in a cache.
type Result<Query extends string> = ResultOf<ReturnType<typeof graphql<Query, []>>>

/** The data of the answer to an operation. Unknown if its text is not known before the test runs. */
export type DataOf<Query extends string> = string extends Query
  ? unknown
  : [Result<Query>] extends [never]
    ? unknown
    : Present<Result<Query>>

type MutationText<
  Name extends string,
  Fields extends string,
> = `mutation ($input: ${Capitalize<Name>}Input!) { ${Name}(input: $input) { ${Fields} userErrors { code message field } } }`

/** An error that the caller can correct, in the payload of a mutation. */
interface UserError {
  readonly code: string
  readonly message: string
  readonly field: readonly string[] | null
}

/** The payload of a mutation with these fields, which are null only if it failed. Of a name in a variable, its errors. */
export type PayloadOf<Name extends string, Fields extends string> =
  DataOf<MutationText<Name, Fields>> extends Readonly<Record<Name, infer Payload>>
    ? { readonly [Field in keyof Payload]: NonNullable<Payload[Field]> }
    : { readonly userErrors: readonly [UserError, ...UserError[]] }
