// The cost of a field: the number of objects it may return, with page sizes multiplied in.
import { getNamedType, getNullableType, type GraphQLOutputType, isLeafType, isListType } from 'graphql'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../lib/page.ts'

/** The assumed length of a list that is neither a connection nor states its length. */
const LIST_SIZE = 10

/** The cost of a list that is not a connection, from its usual length. */
export const usualLength = (length: number) => ({ field: length, multiplier: length })

/** The arguments that the cost of a field depends on. */
export const sizeArguments: ReadonlySet<string> = new Set(['first', 'last', 'ids'])

interface Costed {
  readonly name: string
  readonly type: GraphQLOutputType
}

/**
 * A leaf costs 0. An object costs 1, multiplied by the sizes of the connections and lists around it. `edges` and
 * `pageInfo` are part of their connection.
 */
export function costOf(args: Record<string, unknown>, _context: unknown, field: Costed) {
  const type = getNamedType(field.type)
  if (isLeafType(type) || field.name === 'edges' || field.name === 'pageInfo') return { field: 0, multiplier: 1 }
  if (type.name.endsWith('Connection')) return { field: 1, multiplier: pageSize(args) }
  if (field.name === 'nodes' && args['ids'] === undefined) return { field: 1, multiplier: 1 }
  return usualLength(listSize(args, field.type))
}

/** An invalid size counts as the maximum, because the resolver rejects it later. */
function pageSize({ first, last }: Record<string, unknown>): number {
  const asked = first ?? last ?? DEFAULT_PAGE_SIZE
  return typeof asked === 'number' && asked >= 0 ? Math.min(asked, MAX_PAGE_SIZE) : MAX_PAGE_SIZE
}

function listSize({ ids }: Record<string, unknown>, type: GraphQLOutputType): number {
  if (!isListType(getNullableType(type))) return 1
  return Array.isArray(ids) ? Math.min(ids.length, MAX_PAGE_SIZE) : LIST_SIZE
}
