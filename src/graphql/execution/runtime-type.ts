// Resolves the object type of an interface or union value. Messages are the same as in graphql-js.
import {
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql'
// Not part of graphql-js's public API: formats values in messages.
import { inspect } from 'graphql/jsutils/inspect.js'
import type { PlannedField } from './plan.ts'

const coordinate = ({ parentType, definition }: PlannedField) => `${parentType.name}.${definition.name}`

interface Resolved {
  readonly type: GraphQLAbstractType
  /** The result of the type resolver. */
  readonly name: unknown
  readonly value: unknown
  readonly field: PlannedField
}

/** Why the resolved name is not that of a possible type. */
function messageOf({ type, name, value, field }: Resolved): string {
  const subject = `Abstract type "${type.name}"`
  if (name === null || name === undefined) {
    return `${subject} must resolve to an Object type at runtime for field "${coordinate(field)}". Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`
  }
  if (isObjectType(name)) {
    return 'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.'
  }
  return `${subject} must resolve to an Object type at runtime for field "${coordinate(field)}" with value ${inspect(value)}, received "${inspect(name)}".`
}

/** @throws GraphQLError if the name is not that of a possible type. */
export function runtimeType(schema: GraphQLSchema, resolved: Resolved): GraphQLObjectType {
  const { type, name, field } = resolved
  const { nodes } = field
  if (typeof name !== 'string') {
    // As in graphql-js, the error has a location only if there is no name at all.
    throw new GraphQLError(messageOf(resolved), name === null || name === undefined ? { nodes } : {})
  }
  const found = schema.getType(name)
  if (isObjectType(found) && schema.isSubType(type, found)) return found
  if (found === undefined) {
    const message = `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`
    throw new GraphQLError(message, { nodes })
  }
  throw new GraphQLError(
    isObjectType(found)
      ? `Runtime Object type "${name}" is not a possible type for "${type.name}".`
      : `Abstract type "${type.name}" was resolved to a non-object type "${name}".`,
    { nodes },
  )
}

/** The error of a value that its type's `isTypeOf` rejects. */
export const notOfType = (type: GraphQLObjectType, value: unknown, { nodes }: PlannedField) =>
  new GraphQLError(`Expected value of type "${type.name}" but got: ${inspect(value)}.`, { nodes })
