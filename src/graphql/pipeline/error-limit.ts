// Limits the size of responses that only report errors.
import { type ExecutionResult, GraphQLError } from 'graphql'
import { shorten } from '../../lib/shorten.ts'

/** Bytes of JSON, for all errors of a response and for one. */
const MAX_SIZE = 18_000
const MAX_ERROR_SIZE = 4_000

const sizeOf = (error: GraphQLError) => Buffer.byteLength(JSON.stringify(error))

/** An error without what can be long: its path, its locations and most of its message. */
function bounded(error: GraphQLError): GraphQLError {
  if (sizeOf(error) <= MAX_ERROR_SIZE) return error
  const { code, errorId, http } = error.extensions
  const extensions = { code, ...(errorId === undefined ? {} : { errorId }), ...(http === undefined ? {} : { http }) }
  return new GraphQLError(shorten(error.message, 500), { extensions })
}

/** The first errors, and one that says how many are missing. */
function boundErrors(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const shown: GraphQLError[] = []
  let size = 0
  for (const error of errors) {
    const next = bounded(error)
    size += sizeOf(next)
    if (size > MAX_SIZE) {
      const { code, http } = error.extensions
      const more = `and ${errors.length - shown.length} more errors`
      return [...shown, new GraphQLError(more, { extensions: { code, ...(http === undefined ? {} : { http }) } })]
    }
    shown.push(next)
  }
  return shown
}

/** Shortens the errors of a result without data. One with data has an error for each field that is missing. */
export function limitErrors(result: ExecutionResult): ExecutionResult {
  const { errors, data } = result
  return errors === undefined || data ? result : { ...result, errors: boundErrors(errors) }
}
