// Information from a payload schema: the names of the properties, and an example.
import { commonVariables } from '../../parts/condition/variables.ts'
import { parseJsonObject } from '../../parts/form/json-object.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Deeper properties are not suggested. */
const MAX_DEPTH = 4

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const propertiesOf = ({ properties }: JsonObject): (readonly [name: string, schema: JsonObject])[] =>
  isObject(properties)
    ? Object.entries(properties).flatMap(([name, schema]) => (isObject(schema) ? [[name, schema] as const] : []))
    : []

/** Returns a schema from its text. Empty if the text is not a JSON object. */
function schemaIn(text: string): JsonObject {
  try {
    return parseJsonObject(text)
  } catch {
    return {}
  }
}

function pathsOf(schema: JsonObject, prefix: string, depth: number): string[] {
  if (depth === 0) return [prefix]
  const inside = propertiesOf(schema).flatMap(([name, property]) => pathsOf(property, `${prefix}.${name}`, depth - 1))
  return inside.length === 0 ? [prefix] : inside
}

/** Returns the variables that templates and conditions can read, as far as the schema names them. */
export const variablesOf = (payloadSchema: string): readonly string[] => [
  ...pathsOf(schemaIn(payloadSchema), 'payload', MAX_DEPTH),
  ...commonVariables,
]

const byType: Readonly<Record<string, unknown>> = { string: 'text', number: 1, integer: 1, boolean: true, array: [] }

function exampleOf(schema: JsonObject, depth: number): unknown {
  const { examples, default: preset, enum: allowed, type } = schema
  if (preset !== undefined) return preset
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (schema['const'] !== undefined) return schema['const']
  if (Array.isArray(allowed)) return allowed[0]
  if (depth > 0 && (type === 'object' || schema['properties'] !== undefined)) {
    return Object.fromEntries(propertiesOf(schema).map(([name, property]) => [name, exampleOf(property, depth - 1)]))
  }
  return typeof type === 'string' && Object.hasOwn(byType, type) ? byType[type] : {}
}

/**
 * Returns an example of a payload, from the defaults, examples and types of the schema. Empty if they are no object: a
 * payload always is one.
 */
export function examplePayload(payloadSchema: string): JsonObject {
  const example = exampleOf({ type: 'object', ...schemaIn(payloadSchema) }, MAX_DEPTH)
  return isObject(example) ? example : {}
}
