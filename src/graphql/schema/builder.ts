// The schema builder: plugins, scalars and Relay's conventions. It defines no type of the domain.
import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import RelayPlugin from '@pothos/plugin-relay'
import type { DocumentNode } from 'graphql'
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars'
import type { Prisma } from '../../data/prisma/client.ts'
import type { Scope } from '../../domain/scope.ts'
import type { RateMeter } from '../../http/rate-meter.ts'
import { type Count, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../lib/page.ts'
import type { Json, JsonObject } from '../../lib/validation.ts'
import { costOf } from './complexity.ts'
import { assertNodeIds, decodeNodeId, encodeNodeId } from './node-id.ts'

export interface ParsedQuery {
  readonly query: string
  readonly document: DocumentNode
}

export interface GraphContext {
  readonly scope: Scope
  readonly meter: RateMeter
  /** @throws Refusal `UNAUTHENTICATED` once the caller is not known any more. */
  readonly recheck: () => Promise<unknown>
  /** The query, if it was parsed before yoga received the request. */
  readonly parsed?: ParsedQuery | undefined
}

interface OurTypes {
  Context: GraphContext
  Connection: { total: () => Promise<Count> }
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  DefaultInputFieldRequiredness: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: Json; Output: Prisma.JsonValue }
    JSONObject: { Input: JsonObject; Output: Prisma.JsonValue }
  }
}

/** What refs of this builder are typed by. */
export type SchemaTypes = PothosSchemaTypes.ExtendDefaultTypes<OurTypes>

const page = (end: 'first' | 'last') =>
  `How many to read from the ${end === 'first' ? 'start' : 'end'}: 0 to ${MAX_PAGE_SIZE}${end === 'first' ? `, by default ${DEFAULT_PAGE_SIZE}` : ''}. Not together with \`${end === 'first' ? 'last' : 'first'}\`.`

export const builder = new SchemaBuilder<OurTypes>({
  plugins: [ComplexityPlugin, RelayPlugin],
  defaultFieldNullability: false,
  complexity: { fieldComplexity: costOf },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    nodesOnConnection: { description: 'The nodes of the page, without their cursors.' },
    encodeGlobalID: encodeNodeId,
    decodeGlobalID: decodeNodeId,
    idFieldOptions: { description: 'The node id: opaque, and unique in the whole graph.' },
    nodeTypeOptions: { description: 'Anything that has a node id.' },
    nodeQueryOptions: {
      description: 'The object with this node id. Null when it does not exist in this environment.',
      args: { id: { description: 'A node id.' } },
      resolve(_root, { id }, _context, { schema }, load) {
        assertNodeIds(schema, [id])
        return load(id)
      },
    },
    nodesQueryOptions: {
      description:
        'The objects with these node ids, in their order. Null stands for one that does not exist in this environment.',
      args: { ids: { description: `Node ids, at most ${MAX_PAGE_SIZE}.` } },
      resolve(_root, { ids }, _context, { schema }, load) {
        assertNodeIds(schema, ids)
        return load(ids)
      },
    },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    pageInfoFieldOptions: { description: 'Where this page lies in the list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has something before this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first node. Null when the page is empty.' },
    endCursorFieldOptions: { description: 'The cursor of the last node. Null when the page is empty.' },
    edgesFieldOptions: { nullable: false, description: 'The nodes of the page, each with its cursor.' },
    nodeFieldOptions: { nullable: false, description: 'The node.' },
    cursorFieldOptions: { description: 'The place of the node in this list: give it as `after` or `before`.' },
    firstArgOptions: { description: page('first') },
    lastArgOptions: { description: page('last') },
    afterArgOptions: { description: 'A cursor: only what comes after it.' },
    beforeArgOptions: { description: 'A cursor: only what comes before it.' },
  },
})

builder.addScalarType('DateTime', GraphQLDateTimeISO)
builder.addScalarType('JSON', GraphQLJSON)
builder.addScalarType('JSONObject', GraphQLJSONObject)

builder.queryType({ description: 'What can be read. Everything belongs to the environment of the API key.' })
builder.mutationType({
  description:
    'What can be done. Each mutation is one transaction. What the caller can mend comes back in `userErrors`, and then nothing was written.',
})
builder.subscriptionType({
  description:
    'What can be followed, over server-sent events: ask with `Accept: text/event-stream`. A stream tells everything from when its answer begins. One that may have missed something ends with an error, and so does every stream of a process that stops: subscribe again, and then read what is there.',
})
