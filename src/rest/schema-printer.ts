// Prints zod schemas as OpenAPI schemas.
import { z } from 'zod'

// OpenAPI 3.1 uses JSON Schema 2020-12, which zod 4 prints. A library between the two is not needed.

export type Schema = z.core.JSONSchema.BaseSchema

const wellKnownFormats: ReadonlySet<unknown> = new Set(['date-time', 'email', 'uri', 'uuid'])

/** Removes redundant keywords: patterns of well-known formats, bounds of safe integers, the type of property names. */
function tidy({ jsonSchema }: { jsonSchema: Schema }): void {
  if (wellKnownFormats.has(jsonSchema.format)) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames
  // The types of a discriminated union exclude each other.
  if ('discriminator' in jsonSchema && jsonSchema.anyOf) {
    jsonSchema.oneOf = jsonSchema.anyOf
    delete jsonSchema.anyOf
  }
  // JSON Schema has no such format, and the pattern describes it already.
  if (jsonSchema.format === 'e164') delete jsonSchema.format
  // Clients ignore unknown fields, so that adding a field is not a breaking change. The few requests in which the
  // gateway rejects them accept some that are not documented.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

/** Prints zod schemas and collects the named ones: `.meta({ id })`. */
export class SchemaPrinter {
  readonly named: Record<string, Schema> = {}
  /** Cached, because most routes have the same errors. */
  readonly #printed = { input: new Map<z.ZodType, Schema>(), output: new Map<z.ZodType, Schema>() }

  /** @throws Error if two schemas have the same name. */
  print(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const known = this.#printed[io].get(schema)
    if (known !== undefined) return known
    const printed = this.#print(schema, io)
    this.#printed[io].set(schema, printed)
    return printed
  }

  #print(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const printed = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any', override: tidy })
    const { $defs = {}, ...root } = relocated(printed)
    for (const [name, definition] of Object.entries($defs)) {
      const known = (this.named[name] ??= definition)
      if (JSON.stringify(known) !== JSON.stringify(definition)) throw new Error(`duplicate schema name "${name}"`)
    }
    return root
  }

  /**
   * Prints a schema under the given name, unless it has a name of its own. @throws Error if another schema has the same
   * name.
   */
  printNamed(schema: z.ZodType, io: 'input' | 'output', name: string): Schema {
    const printed = this.print(schema, io)
    if (printed.$ref !== undefined) return printed
    if (this.named[name] !== undefined) throw new Error(`duplicate schema name "${name}"`)
    this.named[name] = printed
    return { $ref: `#/components/schemas/${name}` }
  }
}

/** Returns the schema with references that point into the document. */
function relocated(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$schema') return undefined
    return key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value
  }) as Schema
}

/** Removes null from a schema: a parameter cannot be null, only absent. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (anyOf === undefined) return schema
  const options = anyOf.filter(({ type }) => type !== 'null')
  const [only, ...others] = options
  return only !== undefined && others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: options }
}
