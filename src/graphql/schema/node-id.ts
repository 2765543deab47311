// Node ids: what they are made of, and what is refused.
import { type GraphQLSchema, isObjectType } from 'graphql'
import { z } from 'zod'
import { Refusal, refuse } from '../../lib/errors.ts'
import { MAX_PAGE_SIZE } from '../../lib/page.ts'

const rowId = z.uuid()

interface NodeId {
  readonly typename: string
  readonly id: string
}

export function encodeNodeId(typename: string, id: string | number | bigint): string {
  return Buffer.from(`${typename}:${id}`).toString('base64')
}

/** What a node id names, or undefined when the text is none. */
export function readNodeId(nodeId: string): NodeId | undefined {
  const [typename, id, ...rest] = Buffer.from(nodeId, 'base64').toString('utf8').split(':')
  if (!typename || id === undefined || rest.length > 0 || !rowId.safeParse(id).success) return undefined
  return { typename, id }
}

function notANodeId(nodeId: string): Refusal {
  return new Refusal('MALFORMED', `"${nodeId.slice(0, 200)}" is not a node id`)
}

/** @throws Refusal `MALFORMED` when it is no node id. */
export function decodeNodeId(nodeId: string): NodeId {
  const read = readNodeId(nodeId)
  if (read === undefined) throw notANodeId(nodeId)
  return read
}

/** @throws Refusal when there are more ids than a page has, or one of a type that has no node ids. */
export function assertNodeIds(schema: GraphQLSchema, ids: readonly NodeId[]): void {
  if (ids.length > MAX_PAGE_SIZE) throw refuse('INVALID', `ids must be at most ${MAX_PAGE_SIZE} items long`, 'ids')
  for (const { typename, id } of ids) {
    const type = schema.getType(typename)
    if (!isObjectType(type) || !type.getInterfaces().some(({ name }) => name === 'Node')) {
      throw notANodeId(encodeNodeId(typename, id))
    }
  }
}

/** The row that a field of an input names. @throws Refusal `MALFORMED` when it is no node id, or of another type. */
export function rowIdOf(type: { readonly name: string }, nodeId: string, field: string): string {
  const read = readNodeId(nodeId)
  if (read?.typename !== type.name)
    throw refuse('MALFORMED', `${field} must be a node id of the type ${type.name}`, field, nodeId)
  return read.id
}
