// Prints zod schemas as OpenAPI wants them.
import { z } from 'zod'

// Zod 4 prints JSON Schema 2020-12, and that is what OpenAPI 3.1 is made of: no zod-openapi stands between. It wants
// schemas of its own making, while those of the domain must know nothing of OpenAPI.

export type Schema = z.core.JSONSchema.BaseSchema

const wellKnownFormats: ReadonlySet<unknown> = new Set(['date-time', 'email', 'uri', 'uuid'])

/** Leaves out what says nothing: patterns of well-known formats, bounds of safe integers, that names are strings. */
function tidy({ jsonSchema }: { jsonSchema: Schema }): void {
  if (wellKnownFormats.has(jsonSchema.format)) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames
  // Callers ignore what they do not know, on either side: a field may be added without breaking them.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

/** Prints zod schemas, and gathers those that have a name: `.meta({ id })`. */
export class SchemaPrinter {
  readonly named: Record<string, Schema> = {}

  /** @throws Error when two schemas share a name. */
  print(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const printed = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any', override: tidy })
    const { $defs = {}, ...root } = relocated(printed)
    for (const [name, definition] of Object.entries($defs)) {
      const known = (this.named[name] ??= definition)
      if (JSON.stringify(known) !== JSON.stringify(definition)) throw new Error(`two schemas are named "${name}"`)
    }
    return root
  }
}

/** The schema as a part of the document, where named ones have their place. */
function relocated(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$schema') return undefined
    return key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value
  }) as Schema
}

/** A parameter cannot say null: where an input may be null, it is left out. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (anyOf === undefined) return schema
  const options = anyOf.filter(({ type }) => type !== 'null')
  const [only, ...others] = options
  return only !== undefined && others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: options }
}
