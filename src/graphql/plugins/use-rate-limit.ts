// Rate limits at this door: an operation draws what its root fields call, all at once and before any of them runs.
import {
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Rate } from '../../domain/resolver.ts'
import { ordinaryRate } from '../../http/rate-limit.ts'
import type { GraphContext } from '../schema/builder.ts'
import { resolverOf } from '../schema/resolver-extension.ts'
import { schema } from '../schema/schema.ts'

/**
 * Gathers the root fields of a selection by their response names, those in fragments included: the engine runs fields
 * that share a name once. What `@skip` leaves out counts all the same, for variables have not been read yet.
 *
 * @param fragments those not looked into yet: each is taken out, or fragments of fragments would multiply.
 */
function gatherFields(
  { selections }: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  fields = new Map<string, FieldNode>(),
): ReadonlyMap<string, FieldNode> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      fields.set((selection.alias ?? selection.name).value, selection)
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      gatherFields(selection.selectionSet, fragments, fields)
    } else {
      const fragment = fragments.get(selection.name.value)
      fragments.delete(selection.name.value)
      if (fragment) gatherFields(fragment.selectionSet, fragments, fields)
    }
  }
  return fields
}

/** An operation as a request names it. */
export type Operation = Pick<ExecutionArgs, 'document' | 'operationName'>

/** What an operation calls. What it asks of the schema itself, or of `node`, is an ordinary call. */
export function ratesOf({ document, operationName }: Operation): [Rate, ...Rate[]] {
  const operation = getOperationAST(document, operationName)
  const type = operation && schema.getRootType(operation.operation)
  if (!type) return [ordinaryRate]
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  const rates = [...gatherFields(operation.selectionSet, fragments).values()].map(({ name }) => {
    const field = type.getFields()[name.value]
    return (field && resolverOf(field)?.definition.rate) ?? ordinaryRate
  })
  const [first = ordinaryRate, ...others] = rates
  return [first, ...others]
}

/** Refuses an operation whole when any of its categories is over its limit. A subscription draws once, at its start. */
export function useRateLimit(): Plugin<GraphContext> {
  return {
    onExecute({ args }) {
      args.contextValue.meter.draw(ratesOf(args))
    },
    onSubscribe({ args }) {
      args.contextValue.meter.draw(ratesOf(args))
    },
  }
}
