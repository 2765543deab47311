// The fields that the published client can send, read from the schemas of the unmodified package, and those that a route
// knows.
import * as requests from '@novu/api/models/operations/index.js'
import { z } from 'zod'
import type { Route } from '../../../src/rest/route.ts'
import type { Operation } from './operations.ts'

export interface Fields {
  readonly query: readonly string[]
  readonly body: readonly string[]
}

/** Names that the client changes when it sends them. */
const renamed: Readonly<Record<string, string>> = { workflowId: 'name' }

/** The client writes the names of the wire in its own way: `in_app` is `inApp`. */
const plain = (name: string) => name.replaceAll('_', '').toLowerCase()

const partOf = (value: unknown, name: string): unknown =>
  value instanceof Object ? Reflect.get(value, name) : undefined

/**
 * Returns the fields of a schema of the client, which has an earlier version of zod: an object, or what an effect, a union
 * or an optional schema is made of.
 */
function fieldsOfClientSchema(schema: unknown): string[] {
  const shape = partOf(schema, 'shape')
  if (shape instanceof Object) return Object.keys(shape)
  const made = partOf(schema, '_def')
  const options = partOf(made, 'options')
  if (Array.isArray(options)) return options.flatMap(fieldsOfClientSchema)
  const inner = partOf(made, 'schema') ?? partOf(made, 'innerType')
  return inner === undefined ? [] : fieldsOfClientSchema(inner)
}

/** The parts of a request in the client's schemas that are its body. */
const isBody = (name: string) => /Dto$|^requestBody$/i.test(name)

/** Returns the fields of the query and of the body that the client can send. */
export function fieldsSent({ code }: Operation): Fields {
  const [, query = ''] = /encodeFormQuery\)\(\{([^}]*)\}/s.exec(code) ?? []
  const [, name = ''] = /operations\s*\.(\w+\$outboundSchema)/.exec(code) ?? []
  const request = partOf(partOf(Reflect.get(requests, name), '_def'), 'schema') ?? Reflect.get(requests, name)
  const parts = Object.entries(Object.assign({}, partOf(request, 'shape')))
  return {
    query: [...query.matchAll(/"([^"]+)":/g)].map(([, field = '']) => field),
    body: parts.flatMap(([part, of]) => (isBody(part) ? fieldsOfClientSchema(of) : [])),
  }
}

function fieldsOf(schema: z.core.$ZodType | undefined): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(fieldsOf)
  return schema instanceof z.ZodPipe ? fieldsOf(schema.in) : []
}

/** Returns the fields of a request that a route does not know: it would ignore them. */
export function unknownTo({ query, body, documentedBody = body }: Route, sent: Fields): string[] {
  const known = { query: new Set(fieldsOf(query).map(plain)), body: new Set(fieldsOf(documentedBody).map(plain)) }
  return [
    ...sent.query.filter((name) => !known.query.has(plain(name))),
    ...sent.body.filter((name) => !known.body.has(plain(name)) && !known.body.has(plain(renamed[name] ?? name))),
  ]
}
