// Random requests to the REST API: any route, with parameters and a body that are valid, strange or wrong.
import { z } from 'zod'
import { table } from '../../src/rest/routes/table.ts'
import { type Chance, hostileNumber, hostileText, hostileValue } from './chance.ts'
import { type JsonSchema, partOf } from './json-schema.ts'
import type { Known } from './random-operation.ts'

export interface RandomRequest {
  readonly method: string
  readonly path: string
  /** Undefined without a body. */
  readonly body: string | undefined
}

/** One in this many values is hostile. */
const HOSTILE = 6

/** The routes with the JSON Schemas of their parts. */
const routes = table.map(({ method, path, params, query, body }) => {
  const schemaOf = (type: z.ZodType): JsonSchema =>
    z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return { method, path, params: schemaOf(params), query: schemaOf(query), body: body && schemaOf(body) }
})

/** Returns a value that matches a JSON Schema, or nearly does. */
function valueOf(
  schema: JsonSchema,
  root: JsonSchema,
  field: string,
  chance: Chance,
  known: Known,
  depth = 0,
): unknown {
  if (chance.once(5 * HOSTILE)) return hostileValue(chance)
  const inner = (one: JsonSchema, name = field) => valueOf(one, root, name, chance, known, depth + 1)
  if (schema.$ref) {
    const named = partOf(root, schema.$ref)
    // Resolves references within the OpenAPI document.
    return named === undefined ? hostileValue(chance) : inner(named)
  }
  const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (forms) return inner(chance.pick(forms))
  if (schema.enum) return chance.pick(schema.enum)
  if ('const' in schema) return schema.const
  switch (schema.type) {
    case 'object': {
      const properties = Object.entries(schema.properties ?? {})
      if (properties.length === 0) return chance.once(2) ? {} : hostileValue(chance)
      const chosen = properties.filter(([name]) => schema.required?.includes(name) || (depth < 5 && chance.once(2)))
      const strange = chance.once(10) ? [[hostileText(chance), hostileValue(chance)]] : []
      return Object.fromEntries([...chosen.map(([name, one]) => [name, inner(one, name)]), ...strange])
    }
    case 'array':
      return Array.from({ length: chance.below(4) }, () => inner(schema.items ?? {}))
    case 'integer':
    case 'number':
      return chance.once(2) ? 1 + chance.below(20) : hostileNumber(chance)
    case 'boolean':
      return chance.once(2)
    case 'null':
      return null
    case 'string': {
      const names = known.names[field] ?? known.names[`${field}s`]
      if (!chance.once(HOSTILE) && names) return chance.pick(names)
      return chance.once(2) ? `text-${chance.below(9)}` : hostileText(chance)
    }
    default:
      return hostileValue(chance)
  }
}

/** A text in a URL, sometimes wrongly encoded. */
function encoded(value: unknown, chance: Chance): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  if (chance.once(20)) return chance.pick(['%00', '%', '%ff', '%c3%28', '%2e%2e', '%ED%A0%80', '+', '%2F'])
  return encodeURIComponent(text.toWellFormed())
}

export function randomRoute(chance: Chance, known: Known): RandomRequest {
  const { method, path, params, query, body } = chance.pick(routes)
  const given = valueOf(params, params, '', chance, known)
  const queried = valueOf(query, query, '', chance, known)
  const pairs = Object.entries(typeof queried === 'object' && queried !== null ? queried : {}).flatMap(
    ([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => `${encoded(name, chance)}=${encoded(one, chance)}`),
  )
  const filled = path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) =>
    encoded(Reflect.get(Object(given), name) ?? 'x', chance),
  )
  const text = body && JSON.stringify(valueOf(body, body, '', chance, known))
  return {
    method: method.toUpperCase(),
    path: `${filled}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`,
    body: text !== undefined && chance.once(50) ? text.slice(0, chance.below(text.length)) : text,
  }
}
