// Random valid operations of a schema, for tests of its execution. They include merged fields, fragments, directives,
// and arguments as literals and variables of each kind.
import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Chance } from './chance.ts'

export interface RandomDocument {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

const MAX_DEPTH = 3

/** A value of a type, as JSON. Enum values are names. */
function valueOf(type: GraphQLInputType, chance: Chance, depth = 0): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, chance, depth)
  if (isListType(type)) {
    return Array.from({ length: chance.below(3) }, () => valueOf(type.ofType, chance, depth + 1))
  }
  if (isEnumType(type)) return chance.pick(type.getValues()).name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const chosen = type.isOneOf
      ? [chance.pick(fields)]
      : fields.filter((one) => isNonNullType(one.type) || (depth < 3 && chance.once(3)))
    return Object.fromEntries(chosen.map((one) => [one.name, valueOf(one.type, chance, depth + 1)]))
  }
  if (type.name === 'Int') return chance.below(50)
  if (type.name === 'Float') return chance.below(50) / 4
  if (type.name === 'Boolean') return chance.once(2)
  if (type.name.startsWith('JSON')) return { of: [chance.below(9), 'x', null] }
  return `text ${chance.below(9)}`
}

/** A value as a literal of GraphQL. */
function literalOf(type: GraphQLInputType, value: unknown): string {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return 'null'
  if (isListType(nullable) && Array.isArray(value)) {
    return `[${value.map((item) => literalOf(nullable.ofType, item)).join(', ')}]`
  }
  if (isEnumType(nullable) && typeof value === 'string') return value
  if (isInputObjectType(nullable)) {
    const fields = nullable.getFields()
    const texts = Object.entries(value).flatMap(([name, inner]) => {
      const field = fields[name]
      return field ? [`${name}: ${literalOf(field.type, inner)}`] : []
    })
    return `{ ${texts.join(', ')} }`
  }
  // Within JSON, keys are names.
  return typeof value === 'object' ? JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1: ') : JSON.stringify(value)
}

/** Writes one operation, with its variables and fragments. */
class Writer {
  readonly declared: string[] = []
  readonly variables: Record<string, unknown> = {}
  readonly fragments: string[] = []
  readonly #schema: GraphQLSchema
  readonly #chance: Chance
  #aliases = 0

  constructor(schema: GraphQLSchema, chance: Chance) {
    this.#schema = schema
    this.#chance = chance
  }

  /** A variable, which may have a default value or none at all. */
  #variable(type: GraphQLInputType, hasDefault: boolean): string {
    const chance = this.#chance
    const name = `v${this.declared.length}`
    const value = valueOf(type, chance)
    const standard = chance.once(3) && !isNonNullType(type) ? ` = ${literalOf(type, valueOf(type, chance))}` : ''
    this.declared.push(`$${name}: ${String(type)}${standard}`)
    const mayBeAbsent = !isNonNullType(type) || (hasDefault && standard !== '')
    if (!mayBeAbsent || !chance.once(4)) this.variables[name] = mayBeAbsent && chance.once(6) ? null : value
    return `$${name}`
  }

  #arguments(args: readonly GraphQLArgument[]): string {
    const chance = this.#chance
    const isRequired = (arg: GraphQLArgument) => isNonNullType(arg.type) && arg.defaultValue === undefined
    const given = args.filter((arg) => isRequired(arg) || chance.once(3))
    const texts = given.map((arg) => {
      const isVariable = chance.once(2)
      const value = isVariable
        ? this.#variable(arg.type, arg.defaultValue !== undefined)
        : literalOf(arg.type, valueOf(arg.type, chance))
      return `${arg.name}: ${value}`
    })
    return texts.length > 0 ? `(${texts.join(', ')})` : ''
  }

  #directives(): string {
    const chance = this.#chance
    if (!chance.once(6)) return ''
    const name = chance.pick(['skip', 'include'])
    if (chance.once(3)) return ` @${name}(if: ${String(chance.once(2))})`
    const variable = `v${this.declared.length}`
    this.declared.push(`$${variable}: Boolean!`)
    this.variables[variable] = chance.once(2)
    return ` @${name}(if: $${variable})`
  }

  /** @param alias gives fields with arguments different keys, so that all fields with the same key can be merged. */
  field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const isPlain = field.args.length === 0
    const alias = isPlain && !this.#chance.once(6) ? '' : `a${(this.#aliases += 1)}: `
    const text = `${alias}${field.name}${this.#arguments(field.args)}${this.#directives()}`
    return `${text}${this.selection(field.type, depth)}`
  }

  selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type)
    if (!isCompositeType(named)) return ''
    return ` { ${this.#fields(named, depth)} }`
  }

  #fields(type: ReturnType<typeof getNamedType>, depth: number): string {
    const chance = this.#chance
    if (isAbstractType(type)) {
      const members = Array.from({ length: 1 + chance.below(3) }, () =>
        chance.pick(this.#schema.getPossibleTypes(type)),
      )
      return ['__typename', ...members.map((member) => this.#spread(member, depth + 1))].join(' ')
    }
    if (!isObjectType(type)) return '__typename'
    const chosen = Object.values(type.getFields()).filter(
      (field) => chance.once(3) && (depth < MAX_DEPTH || !isCompositeType(getNamedType(field.type))),
    )
    const texts = chosen.map((field) => this.field(field, depth + 1))
    if (chance.once(5) && depth < MAX_DEPTH) texts.push(this.#spread(type, depth + 1))
    return [chance.once(2) ? '__typename' : `t: __typename`, ...texts].join(' ')
  }

  /** The fields of a type in a fragment, inline or named. */
  #spread(type: GraphQLObjectType, depth: number): string {
    if (this.#chance.once(2)) return `... on ${type.name}${this.#directives()} { ${this.#fields(type, depth)} }`
    const body = this.#fields(type, depth)
    const name = `f${this.fragments.length}`
    this.fragments.push(`fragment ${name} on ${type.name} { ${body} }`)
    return `...${name}${this.#directives()}`
  }
}

/** Writes a valid query or mutation with one to three root fields. */
export function randomDocument(schema: GraphQLSchema, chance: Chance): RandomDocument {
  const kind = chance.pick(['query', 'query', 'mutation'] as const)
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  if (!root) throw new Error(`the schema has no ${kind}`)
  const writer = new Writer(schema, chance)
  const fields = Array.from({ length: 1 + chance.below(3) }, () =>
    writer.field(chance.pick(Object.values(root.getFields())), 0),
  )
  const declared = writer.declared.length > 0 ? ` (${writer.declared.join(', ')})` : ''
  const query = [`${kind} random${declared} { ${fields.join(' ')} }`, ...writer.fragments].join('\n')
  return { query, variables: writer.variables }
}
