// Input for a field of the graph that will be refused whatever it says.
import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { encodeNodeId } from '../../src/graphql/schema/node-id.ts'

/** Some value of the right form, in which a node id is one of `noun`: permission is asked before it is looked up. */
export function anyValue(type: GraphQLInputType, noun: string): unknown {
  if (isNonNullType(type)) return anyValue(type.ofType, noun)
  if (isListType(type)) return []
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    // A @oneOf takes exactly one field; of others those that it must have.
    const needed = type.isOneOf ? fields.slice(0, 1) : fields.filter((field) => isNonNullType(field.type))
    return Object.fromEntries(needed.map((field) => [field.name, anyValue(field.type, noun)]))
  }
  const scalars: Record<string, unknown> = { Int: 1, Float: 1, Boolean: true, JSONObject: {}, JSON: {} }
  if (type.name === 'ID') return encodeNodeId(noun, '01900000-0000-7000-8000-000000000000')
  return scalars[type.name] ?? 'https://example.com/x'
}
