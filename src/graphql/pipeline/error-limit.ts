// Limits the size of responses that only report errors.
import { type ExecutionResult, GraphQLError } from 'graphql'
import { shorten } from '../../lib/shorten.ts'

/** Maximum bytes of JSON, for all errors of a response and for a single one. */
const MAX_SIZE = 18_000
const MAX_ERROR_SIZE = 4_000

const sizeOf = (error: GraphQLError) => Buffer.byteLength(JSON.stringify(error))

/** An error without its path, its locations and most of its message, which can be long. */
function bounded(error: GraphQLError): GraphQLError {
  if (sizeOf(error) <= MAX_ERROR_SIZE) return error
  const { code, errorId, http } = error.extensions
  const extensions = { code, ...(errorId === undefined ? {} : { errorId }), ...(http === undefined ? {} : { http }) }
  return new GraphQLError(shorten(error.message, 500), { extensions })
}

/** The first errors, and an error with the number of omitted ones. */
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

/** Shortens the errors of a result without data. A result with data needs an error for each missing field. */
export function limitErrors(result: ExecutionResult): ExecutionResult {
  const { errors, data } = result
  return errors === undefined || data ? result : { ...result, errors: boundErrors(errors) }
}
