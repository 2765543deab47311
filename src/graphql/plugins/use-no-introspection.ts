// Turns introspection off, for operators who publish their schema elsewhere or not at all.
//
// An attacker who does not know the schema asks for it: directly through `__schema` and `__type`, or indirectly with
// misspelled names, because error messages suggest the right ones ("Did you mean ...?"). Both are blocked.
import { type DocumentNode, type GraphQLError, NoSchemaIntrospectionCustomRule, validate } from 'graphql'
import type { ExecutionArgs, GraphQLSchema } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

/** At most one error: graphql's rule reports each field of a result of introspection. */
function introspectionErrors(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const [found] = validate(schema, document, [NoSchemaIntrospectionCustomRule])
  return found ? [codedError('INTROSPECTION_DISABLED', found.message, { nodes: found.nodes })] : []
}

const validateClosed: typeof validate = (schema, document, rules, options) => {
  const errors = introspectionErrors(schema, document)
  return errors.length > 0 ? errors : validate(schema, document, rules, { ...options, hideSuggestions: true })
}

/** Rejects introspection with `INTROSPECTION_DISABLED` and removes suggestions from error messages. */
export function useNoIntrospection(): Plugin {
  const hideSuggestions = ({ args }: { args: ExecutionArgs }) => {
    args.hideSuggestions = true
  }
  return {
    onValidate({ setValidationFn }) {
      setValidationFn(validateClosed)
    },
    onExecute: hideSuggestions,
    onSubscribe: hideSuggestions,
  }
}
