// The types of GraphQL responses, inferred from the text of each operation. The dashboard's types are used here too.
import type { graphql, ResultOf } from '../../src/dashboard/graph/graphql.ts'

/** The fields of all members of a union, because a test knows which member it requested. */
type Merged<Union> = {
  readonly [Name in Union extends unknown ? keyof Union : never]: Present<
    Union extends Readonly<Record<Name, infer Value>> ? Value : never
  >
}

/**
 * A response in which the requested objects and elements are not null. If one is missing, reading it throws and the
 * test fails. Scalars can be null.
 */
type Present<Value> = [Extract<Value, object>] extends [never]
  ? Value
  : Extract<Value, object> extends readonly (infer Item)[]
    ? readonly [Present<Item>, Present<Item>, Present<Item>, ...Present<Item>[]]
    : Merged<Extract<Value, object>>

// @ts-expect-error -- Of the two signatures of `graphql`, one is for documents in a cache.
type Result<Query extends string> = ResultOf<ReturnType<typeof graphql<Query, []>>>

/** The data of an operation's response. Unknown if the text of the operation is only known at run time. */
export type DataOf<Query extends string> = string extends Query
  ? unknown
  : [Result<Query>] extends [never]
    ? unknown
    : Present<Result<Query>>

/** An error that the caller can correct, in the payload of a mutation. Reading a field that is null fails the test. */
interface UserError {
  readonly code: string
  readonly message: string
  readonly field: readonly [string, ...string[]]
}

interface WithUserErrors {
  readonly userErrors: readonly [UserError, ...UserError[]]
}

/** The fields of a payload. A fragment costs the compiler much less than the whole operation. */
type FieldsOfPayload<
  Name extends string,
  Fields extends string,
> = DataOf<`fragment _ on ${Capitalize<Name>}Payload { ${Fields} }`>

/**
 * The payload of a mutation with these fields, which are null only if it failed. If the name is in a variable, only the
 * errors.
 */
export type PayloadOf<Name extends string, Fields extends string> =
  FieldsOfPayload<Name, Fields> extends infer Payload extends object
    ? { readonly [Field in keyof Payload]: NonNullable<Payload[Field]> } & WithUserErrors
    : WithUserErrors
