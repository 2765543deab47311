// Random operations of the graph: any field with any selection, and arguments that are valid, strange or wrong.
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { schema } from '../../src/graphql/graph/schema.ts'
import { type Chance, hostileNumber, hostileText, hostileValue } from './chance.ts'

export interface RandomOperation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Values that exist in the environment, by field name, and node ids. */
export interface Known {
  readonly names: Readonly<Record<string, readonly string[]>>
  readonly nodeIds: readonly string[]
}

/** Maximum depth of selections and inputs. */
const MAX_DEPTH = 3

/** One in this many values is hostile. */
const HOSTILE = 6

function scalarOf(name: string, field: string, chance: Chance, known: Known): unknown {
  if (chance.once(HOSTILE)) return hostileText(chance)
  const names = known.names[field]
  switch (name) {
    case 'ID':
      return chance.pick(known.nodeIds)
    case 'Int':
    case 'Float':
      return chance.once(2) ? 1 + chance.below(20) : hostileNumber(chance)
    case 'Boolean':
      return chance.once(2)
    case 'JSON':
    case 'JSONObject':
      return chance.once(2) ? {} : hostileValue(chance)
    case 'DateTime':
      return chance.pick(['2030-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])
    case 'URL':
      return chance.pick(['http://127.0.0.1:1/', 'http://127.0.0.1:1/?a=%00', 'https://127.0.0.1:1/#a'])
    default:
      return names && !chance.once(4)
        ? chance.pick(names)
        : chance.once(2)
          ? `text-${chance.below(9)}`
          : hostileText(chance)
  }
}

function valueOf(type: GraphQLInputType, field: string, chance: Chance, known: Known, depth = 0): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, field, chance, known, depth)
  if (chance.once(5 * HOSTILE)) return hostileValue(chance)
  if (isListType(type)) {
    return Array.from({ length: chance.below(4) }, () => valueOf(type.ofType, field, chance, known, depth + 1))
  }
  if (isEnumType(type)) return chance.pick(type.getValues()).name
  if (!isInputObjectType(type)) return scalarOf(type.name, field, chance, known)
  const fields = Object.values(type.getFields())
  const chosen = type.isOneOf
    ? [chance.pick(fields)]
    : fields.filter((one) => isNonNullType(one.type) || (depth < MAX_DEPTH + 2 && chance.once(2)))
  return Object.fromEntries(chosen.map((one) => [one.name, valueOf(one.type, one.name, chance, known, depth + 1)]))
}

export function randomOperation(chance: Chance, known: Known, left: ReadonlySet<string>): RandomOperation {
  const variables: Record<string, unknown> = {}
  const declared: string[] = []

  const argumentsOf = (args: readonly GraphQLArgument[]): string => {
    const given = args.filter((arg) => isNonNullType(arg.type) || chance.once(3))
    const texts = given.map((arg) => {
      const variable = `v${declared.length}`
      declared.push(`$${variable}: ${String(arg.type)}`)
      variables[variable] = valueOf(arg.type, arg.name, chance, known)
      return `${arg.name}: $${variable}`
    })
    return texts.length > 0 ? `(${texts.join(', ')})` : ''
  }

  const fieldOf = (field: GraphQLField<unknown, unknown>, alias: string, depth: number): string =>
    `${alias}${field.name}${argumentsOf(field.args)}${selectionOf(field.type, depth)}`

  const selectionOf = (type: GraphQLOutputType, depth: number): string => {
    const named = getNamedType(type)
    if (!isCompositeType(named)) return ''
    if (isUnionType(named) || isInterfaceType(named)) {
      const member = chance.pick(schema.getPossibleTypes(named))
      return ` { __typename ... on ${member.name}${selectionOf(member, depth + 1)} }`
    }
    const chosen = Object.values(named.getFields()).filter(
      (field) => chance.once(3) && (depth < MAX_DEPTH || !isCompositeType(getNamedType(field.type))),
    )
    const aliased = chosen.map((field, index) => fieldOf(field, field.args.length > 0 ? `f${index}: ` : '', depth + 1))
    return ` { __typename ${aliased.join(' ')} }`
  }

  const kind = chance.pick(['query', 'query', 'mutation'] as const)
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  if (!isObjectType(root)) throw new Error(`the graph has no ${kind}`)
  const field = chance.pick(Object.values(root.getFields()).filter(({ name }) => !left.has(name)))
  const text = fieldOf(field, '', 0)
  return { query: `${kind}${declared.length > 0 ? ` (${declared.join(', ')})` : ''} { ${text} }`, variables }
}
