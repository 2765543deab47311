// Rate limits for operations.
//
// One request can contain many mutations under different aliases. So each root field counts as one call, in the rate
// category of its resolver, and all of them are charged together before anything is executed.
import {
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { type Rate, rateFor } from '../../domain/resolver.ts'
import { ordinaryRate } from '../../http/rate-limit.ts'
import type { GraphContext } from '../schema/builder.ts'
import { resolverOf } from '../schema/resolver-extension.ts'
import { schema } from '../schema/schema.ts'

/**
 * Collects the root fields of a selection by response name, including those in fragments: fields that share a name are
 * executed once. Fields with `@skip` count too, because the variables are not known yet.
 *
 * @param fragments not visited yet. Each is removed on the first visit, so that nested fragments do not multiply.
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

/** The document of a request and the operation to execute. */
export type Operation = Pick<ExecutionArgs, 'document' | 'operationName'>

/**
 * The rate of each root field. Introspection and `node` count as ordinary calls.
 *
 * @param size returns the size of the request, in bytes.
 */
export function ratesOf({ document, operationName }: Operation, size: () => number): [Rate, ...Rate[]] {
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
    const rate = (field && resolverOf(field)?.definition.rate) ?? ordinaryRate
    return rate.largeCost === undefined ? rate : rateFor(rate, size())
  })
  const [first = ordinaryRate, ...others] = rates
  return [first, ...others]
}

/** The size of an operation's query and variables, in bytes. */
const requestSize = ({ document, variableValues }: ExecutionArgs): number =>
  (document.loc?.end ?? 0) + Buffer.byteLength(JSON.stringify(variableValues ?? {}))

/** Rejects the whole operation if one category is over its limit. A subscription is charged once, when it starts. */
export function useRateLimit(): Plugin<GraphContext> {
  return {
    onExecute({ args }) {
      args.contextValue.meter.draw(ratesOf(args, () => requestSize(args)))
    },
    onSubscribe({ args }) {
      args.contextValue.meter.draw(ratesOf(args, () => requestSize(args)))
    },
  }
}
