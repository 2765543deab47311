// A graph that does not tell what is in it: for operators who publish their schema elsewhere, or not at all.
import type { ASTVisitor, ValidationContext } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from '../errors.ts'

function noIntrospection(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const name = node.name.value
      if (name !== '__schema' && name !== '__type') return
      context.reportError(
        codedError('INTROSPECTION_DISABLED', `Introspection is off on this gateway: ${name} cannot be asked for`, {
          nodes: node,
        }),
      )
    },
  }
}

/** Refuses introspection, and takes out of error messages what they suggest: a wrong name is not told the right one. */
export function useNoIntrospection(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(noIntrospection)
    },
    onExecutionResult({ result }) {
      if (!result || !('errors' in result)) return
      for (const error of result.errors ?? []) error.message = error.message.replace(/ Did you mean .+\?/, '')
    },
  }
}
