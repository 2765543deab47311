// The functions of graphql that validate and execute operations.
//
// Validation gives few errors and, for operators who do not publish their schema, no hints at it.
// An attacker who does not know the schema asks for it: directly through `__schema` and `__type`, or indirectly with
// misspelled names, because error messages suggest the right ones ("Did you mean ...?"). Both are blocked.
import { execute, type GraphQLError, NoSchemaIntrospectionCustomRule, subscribe, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

/** The number of errors after which validation stops. */
const MAX_ERRORS = 20

/** Reports errors with the same message once, such as those of a repeated unknown directive. */
function withoutRepeats(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  return [...new Map(errors.toReversed().map((error) => [error.message, error])).values()].reverse()
}

/**
 * Uses graphql's own execution: its response keys are in the order of the query, while yoga's has a key where its value
 * arrived. Validation reports at most `MAX_ERRORS` errors, each message once.
 *
 * @param introspection false rejects introspection with `INTROSPECTION_DISABLED` and removes suggestions from errors.
 */
export function useEngine({ introspection }: { readonly introspection: boolean }): Plugin {
  const options = { maxErrors: MAX_ERRORS, hideSuggestions: !introspection }
  const validateBounded: typeof validate = (schema, document, rules) => {
    if (!introspection) {
      // The rule reports each field of an introspection result. One error is enough.
      const [found] = validate(schema, document, [NoSchemaIntrospectionCustomRule], { maxErrors: 1 })
      if (found) return [codedError('INTROSPECTION_DISABLED', found.message, { nodes: found.nodes })]
    }
    return withoutRepeats(validate(schema, document, rules, options))
  }
  return {
    onValidate({ setValidationFn }) {
      setValidationFn(validateBounded)
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(execute)
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(subscribe)
    },
  }
}
