// Turns introspection off, for operators who publish their schema elsewhere or not at all.
//
// An attacker who does not know the schema asks for it: directly through `__schema` and `__type`, or indirectly with
// misspelled names, because error messages suggest the right ones ("Did you mean ...?"). Both are blocked.
import { NoSchemaIntrospectionCustomRule, validate } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

const validateClosed: typeof validate = (schema, document, rules, options) => {
  // The rule reports each field of an introspection result. One error is enough.
  const [found] = validate(schema, document, [NoSchemaIntrospectionCustomRule])
  if (found) return [codedError('INTROSPECTION_DISABLED', found.message, { nodes: found.nodes })]
  return validate(schema, document, rules, options)
}

/** Rejects introspection with `INTROSPECTION_DISABLED` and removes suggestions from error messages. */
export function useNoIntrospection(): Plugin {
  return {
    onValidate({ setValidationFn }) {
      setValidationFn(validateClosed)
    },
    // Not `hideSuggestions` of graphql: yoga's executor ignores it when it reads variables.
    onExecutionResult({ result }) {
      if (!result || !('errors' in result)) return
      for (const error of result.errors ?? []) error.message = error.message.replace(/ Did you mean .+\?/, '')
    },
  }
}
