// Input for a GraphQL field that is forbidden regardless of its input.
import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { encodeNodeId } from '../../src/graphql/schema/node-id.ts'

/** The noun that a field such as `integrationId` refers to. */
function nounOf(field: string): string | undefined {
  const [, noun] = /^([a-z]+)Id$/.exec(field) ?? []
  return noun === undefined ? undefined : noun.charAt(0).toUpperCase() + noun.slice(1)
}

/** A value of the type, with node ids of `noun`. They need not exist, as permissions are checked before the lookup. */
export function anyValue(type: GraphQLInputType, noun: string): unknown {
  if (isNonNullType(type)) return anyValue(type.ofType, noun)
  if (isListType(type)) return []
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    // A @oneOf input takes exactly one field; other inputs get their required fields, and those with a former name.
    const replacing = fields.map(({ deprecationReason }) => /^Use `(\w+)`/.exec(deprecationReason ?? '')?.[1])
    const isNeeded = ({ name, type: given }: (typeof fields)[number]) =>
      isNonNullType(given) || replacing.includes(name)
    const needed = type.isOneOf ? fields.slice(0, 1) : fields.filter(isNeeded)
    return Object.fromEntries(needed.map((field) => [field.name, anyValue(field.type, nounOf(field.name) ?? noun)]))
  }
  const scalars: Record<string, unknown> = { Int: 1, Float: 1, Boolean: true, JSONObject: {}, JSON: {} }
  if (type.name === 'DateTime') return '2030-01-01T00:00:00Z'
  if (type.name === 'ID') return encodeNodeId(noun, '01900000-0000-7000-8000-000000000000')
  return scalars[type.name] ?? 'https://example.com/x'
}
