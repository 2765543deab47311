// Validation gives few errors and, for operators who do not publish their schema, no hints at it.
// An attacker who does not know the schema asks for it: directly through `__schema` and `__type`, or indirectly with
// misspelled names, because error messages suggest the right ones ("Did you mean ...?"). Both are blocked.
import { type DocumentNode, type GraphQLError, NoSchemaIntrospectionCustomRule, validate } from 'graphql'
import { codedError } from './errors.ts'
import { schema } from '../graph/schema.ts'

/** The number of errors after which validation stops. */
const MAX_ERRORS = 20

/** Reports errors with the same message only once, such as repetitions of an unknown directive. */
function withoutRepeats(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  return [...new Map(errors.toReversed().map((error) => [error.message, error])).values()].reverse()
}

/** Validates a document. Returns at most `MAX_ERRORS` errors, each message once. */
export type Validate = (document: DocumentNode) => readonly GraphQLError[]

/**
 * Creates a function that validates each document once.
 *
 * @param introspection false rejects introspection with `INTROSPECTION_DISABLED` and removes suggestions from errors.
 */
export function createValidation({ introspection }: { readonly introspection: boolean }): Validate {
  const options = { maxErrors: MAX_ERRORS, hideSuggestions: !introspection }
  const results = new WeakMap<DocumentNode, readonly GraphQLError[]>()
  const validateNow: Validate = (document) => {
    if (!introspection) {
      // The rule reports each field of an introspection result. One error is enough.
      const [found] = validate(schema, document, [NoSchemaIntrospectionCustomRule], { maxErrors: 1 })
      if (found) return [codedError('INTROSPECTION_DISABLED', found.message, { nodes: found.nodes })]
    }
    return withoutRepeats(validate(schema, document, undefined, options))
  }
  return (document) => {
    const known = results.get(document)
    if (known !== undefined) return known
    const found = validateNow(document)
    results.set(document, found)
    return found
  }
}
