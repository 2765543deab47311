// Nodes: object types that can be read by id.
import type { FieldMap, ObjectRef } from '@pothos/core'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { builder, type ObjectFields, type SchemaTypes } from './builder.ts'

interface NodeOptions<Row> {
  readonly description: string
  /** Reads one row by its id, through a batch. Null if the environment has no such row. */
  readonly resolver: (scope: DoorScope, input: { id: string }) => Promise<Row | null>
  readonly fields: (t: ObjectFields<Row>) => FieldMap
}

/** Turns `ref` into a node: adds its `id`, and makes it readable through `node` and `nodes`. */
export function defineNode<Row extends { readonly id: string }>(
  ref: ObjectRef<SchemaTypes, Row>,
  { description, resolver, fields }: NodeOptions<Row>,
): void {
  builder.node(ref, {
    description,
    id: { resolve: ({ id }) => id },
    loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => resolver(scope, { id }))),
    fields,
  })
}
