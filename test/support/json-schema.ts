// Types of JSON Schemas that tests read.

/** The keywords that tests read. */
export interface JsonSchema {
  readonly $ref?: string
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly type?: string
}

/** The part of a document to which a `$ref` points. Undefined if it points to another document. */
export const partOf = (document: object, ref: string): JsonSchema | undefined =>
  ref
    .split('/')
    .slice(1)
    .reduce((part: unknown, name) => (part === undefined ? undefined : Reflect.get(Object(part), name)), document) as
    JsonSchema | undefined
