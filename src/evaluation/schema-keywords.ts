// The keywords of JSON Schema whose values are not schemas themselves.

/** Keywords whose values are not schemas and may contain anything. */
export const valueKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** Keywords whose values are schemas by name. */
export const mapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
