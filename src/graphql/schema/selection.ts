// The selection of a query below a field, which shows what to read together with a list.
import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

type Fragments = GraphQLResolveInfo['fragments']

/** The fields of a selection, including those in fragments. */
function fieldsOf({ selections }: SelectionSetNode, fragments: Fragments): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value]
    return fragment ? fieldsOf(fragment.selectionSet, fragments) : []
  })
}

/** The selected fields below fields with this name. */
const below = (fields: readonly FieldNode[], name: string, fragments: Fragments) =>
  fields
    .filter((field) => field.name.value === name)
    .flatMap(({ selectionSet }) => (selectionSet ? fieldsOf(selectionSet, fragments) : []))

const known = new WeakMap<FieldNode, ReadonlySet<string>>()

/**
 * The names of the fields that a query selects on a connection's nodes. For reading ahead only: includes fields that
 * `@skip` omits, and may miss fields of a fragment that is spread in several places.
 */
export function selectedOfNodes({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> {
  const [first] = fieldNodes
  const found = first && known.get(first)
  if (found !== undefined) return found
  const connection = fieldNodes.flatMap(({ selectionSet }) => (selectionSet ? fieldsOf(selectionSet, fragments) : []))
  const nodes = [
    ...below(connection, 'nodes', fragments),
    ...below(below(connection, 'edges', fragments), 'node', fragments),
  ]
  const names = new Set(nodes.map(({ name }) => name.value))
  if (first) known.set(first, names)
  return names
}
