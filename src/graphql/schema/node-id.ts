// Node ids: their format, and the checks that reject invalid ones.
import { type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'
import { z } from 'zod'
import { Refusal, refuse } from '../../lib/errors.ts'
import { MAX_PAGE_SIZE } from '../../lib/page.ts'

const rowId = z.uuid()

interface NodeId {
  readonly typename: string
  readonly id: string
}

/** True for an object type that has a node id. */
const isNodeType = (type: unknown): type is GraphQLObjectType =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')

/**
 * The buffer in which node ids are encoded, one at a time. It fits the ids of every type. Allocating a buffer per id
 * would take longer than encoding the id.
 */
const scratch = Buffer.alloc(256)

export function encodeNodeId(typename: string, id: string | number | bigint): string {
  return scratch.toString('base64', 0, scratch.write(`${typename}:${id}`))
}

/**
 * Replaces Pothos's resolvers of node ids, which return a promise. Each object with an id, and every list of such
 * objects, would have to wait for it.
 */
export function resolveNodeIdsAtOnce(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    const id = isNodeType(type) ? type.getFields()['id'] : undefined
    if (id) id.resolve = (row: { readonly id: string }) => encodeNodeId(type.name, row.id)
  }
  return schema
}

/** Returns the type and row of a node id, or undefined if the text is not a node id. */
export function readNodeId(nodeId: string): NodeId | undefined {
  const [typename, id, ...rest] = Buffer.from(nodeId, 'base64').toString('utf8').split(':')
  if (!typename || id === undefined || rest.length > 0 || !rowId.safeParse(id).success) return undefined
  return { typename, id }
}

function notANodeId(nodeId: string): Refusal {
  return new Refusal('MALFORMED', `"${nodeId.slice(0, 200)}" is not a node id`)
}

/** @throws Refusal `MALFORMED` if it is not a node id. */
export function decodeNodeId(nodeId: string): NodeId {
  const read = readNodeId(nodeId)
  if (read === undefined) throw notANodeId(nodeId)
  return read
}

/** @throws Refusal if there are more ids than the maximum page size, or an id of a type that is not a node. */
export function assertNodeIds(schema: GraphQLSchema, ids: readonly NodeId[]): void {
  if (ids.length > MAX_PAGE_SIZE) throw refuse('INVALID', `ids must be at most ${MAX_PAGE_SIZE} items long`, 'ids')
  for (const { typename, id } of ids) {
    if (!isNodeType(schema.getType(typename))) {
      throw notANodeId(encodeNodeId(typename, id))
    }
  }
}

/**
 * Returns the row id of a node id in a mutation's input.
 *
 * @param field the path of the input field, as `refuse` takes it.
 * @throws Refusal `MALFORMED` if it is not a node id of `type`: a user error of that field.
 */
export function rowIdOf(type: { readonly name: string }, nodeId: string, field: string): string {
  const read = readNodeId(nodeId)
  if (read?.typename !== type.name)
    throw refuse('MALFORMED', `${field} must be a node id of the type ${type.name}`, field, nodeId)
  return read.id
}
