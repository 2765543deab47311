// The schema builder: plugins, scalars and the conventions of Relay. It defines no type of the domain.
import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import RelayPlugin from '@pothos/plugin-relay'
import { type DocumentNode, GraphQLScalarType } from 'graphql'
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars'
import type { Prisma } from '../../data/prisma/client.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import type { RateMeter } from '../../http/rate-meter.ts'
import type { RequestRecord } from '../../http/request-record.ts'
import { type Count, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../lib/page.ts'
import type { Json, JsonObject } from '../../lib/validation.ts'
import { costOf } from './complexity.ts'
import { assertNodeIds, decodeNodeId, encodeNodeId } from './node-id.ts'
import { byDefault } from './wording.ts'

export interface ParsedQuery {
  readonly query: string
  readonly document: DocumentNode
}

export interface GraphContext {
  readonly scope: DoorScope
  readonly meter: RateMeter
  readonly record: RequestRecord
  /** @throws Refusal `UNAUTHENTICATED` once the caller's credentials are no longer valid. */
  readonly recheck: () => Promise<unknown>
  /**
   * Waits until no other large request of the caller's environment is in progress. Absent for subscriptions over a
   * WebSocket.
   */
  readonly takeLargePlace?: () => Promise<void>
  /** The request of the operation. Absent if the operation came over a WebSocket. */
  readonly received?: Request
}

interface TypeParameters {
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

/** The fields of an object type while they are being defined. */
export type ObjectFields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Parent>

/** The fields of an input type while they are being defined. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

/** The type parameter of the builder's refs. */
export type SchemaTypes = PothosSchemaTypes.ExtendDefaultTypes<TypeParameters>

export const builder = new SchemaBuilder<TypeParameters>({
  plugins: [ComplexityPlugin, RelayPlugin],
  defaultFieldNullability: false,
  complexity: { fieldComplexity: costOf },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    nodesOnConnection: { description: 'The nodes of the page.' },
    encodeGlobalID: encodeNodeId,
    decodeGlobalID: decodeNodeId,
    idFieldOptions: { description: 'The node id: opaque and globally unique.' },
    nodeTypeOptions: { description: 'An object with a node id.' },
    nodeQueryOptions: {
      description: "The object with this node id. Null if it does not exist in the caller's environment.",
      args: { id: { description: 'A node id.' } },
      resolve(_root, { id }, _context, { schema }, load) {
        assertNodeIds(schema, [id])
        return load(id)
      },
    },
    nodesQueryOptions: {
      description:
        "The objects with these node ids, in the same order. Null for each object that does not exist in the caller's environment.",
      args: { ids: { description: `Node ids, at most ${MAX_PAGE_SIZE}.` } },
      resolve(_root, { ids }, _context, { schema }, load) {
        assertNodeIds(schema, ids)
        return load(ids)
      },
    },
    pageInfoTypeOptions: { description: 'The position of a page in its list.' },
    pageInfoFieldOptions: { description: 'The position of this page in the list.' },
    hasNextPageFieldOptions: { description: 'True if the list has nodes after this page.' },
    hasPreviousPageFieldOptions: { description: 'True if the list has nodes before this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first node. Null if the page is empty.' },
    endCursorFieldOptions: { description: 'The cursor of the last node. Null if the page is empty.' },
    edgesFieldOptions: { nullable: false, description: 'The nodes of the page with their cursors.' },
    nodeFieldOptions: { nullable: false, description: 'The node.' },
    cursorFieldOptions: { description: 'The cursor of the node in this list, for `after` or `before`.' },
    firstArgOptions: {
      description: `The number of nodes to read from the start of the list: 0 to ${MAX_PAGE_SIZE}. ${byDefault(String(DEFAULT_PAGE_SIZE))} Cannot be combined with \`last\`.`,
    },
    lastArgOptions: {
      description: `The number of nodes to read from the end of the list: 0 to ${MAX_PAGE_SIZE}. Cannot be combined with \`first\`.`,
    },
    afterArgOptions: { description: 'A cursor. Only nodes after the cursor are returned.' },
    beforeArgOptions: { description: 'A cursor. Only nodes before the cursor are returned.' },
  },
})

const dateTime = new GraphQLScalarType({
  ...GraphQLDateTimeISO.toConfig(),
  // Every date in a response is a Date from the database, which needs no validation.
  serialize: (value) => (value instanceof Date ? value.toISOString() : GraphQLDateTimeISO.serialize(value)),
  description:
    'A date and time with an offset, in the format of RFC 3339, section 5.6. Responses are in UTC with milliseconds, such as `2026-11-21T08:30:00.000Z`.',
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc3339#section-5.6',
})

builder.addScalarType('DateTime', dateTime)
builder.addScalarType('JSON', GraphQLJSON)
builder.addScalarType('JSONObject', GraphQLJSONObject)

builder.queryType({ description: "Reads objects of the caller's environment." })
builder.mutationType({
  description:
    "Changes objects of the caller's environment. Each mutation is one transaction. Errors that the caller can correct are returned in `userErrors`. If there are any, nothing was written.",
})
builder.subscriptionType({
  description:
    'Streams over server-sent events, requested with `Accept: text/event-stream`, over multipart responses or over WebSocket. A stream contains all events from the start of its response. It ends with an error if events may have been lost or the server stops: subscribe again, then read the current state.',
})
