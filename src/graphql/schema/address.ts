// Addresses: the fields by which an argument list or an input names one object, by its own name or by its node id.
import type { ArgBuilder, ArgumentRef, InputFieldRef } from '@pothos/core'
import type { InputFields, SchemaTypes } from './builder.ts'
import { rowIdOf } from './node-id.ts'
import { nodeIdOf, wordsOf } from './wording.ts'

/** The fields of an address, which are optional. */
type Fields<Names extends string, Ref> = Readonly<Record<Names, Ref>>
type Value = string | null | undefined

/** What builds the fields: of an input, or the arguments of a field. */
interface Builder {
  readonly string: (options: { readonly description: string }) => unknown
  readonly id: (options: { readonly description: string }) => unknown
}

/** An input with the node id of one object. */
type WithId<Field extends string> = { readonly [Name in Field]?: string | null | undefined }

/**
 * Returns the fields of an address and the function that decodes them. Each field is nullable, because exactly one of
 * the two ways is required. The resolver checks that (`referenceOf`).
 *
 * @param names the fields of the object's own name, with their descriptions.
 * @param idField the name of the field with the node id.
 */
export function addressOf<Names extends string, Id extends string = 'id'>(
  type: { readonly name: string },
  names: Readonly<Record<Names, string>>,
  idField = 'id' as Id,
) {
  const own = Object.keys(names) as Names[]
  const quoted = own.map((name) => `\`${name}\``).join(' and ')
  const rule =
    own.length === 1
      ? `Exactly one of ${quoted} and \`${idField}\` is required.`
      : `Either ${quoted} or \`${idField}\` is required.`
  const build = (t: Builder) =>
    Object.fromEntries([
      ...own.map((name) => [name, t.string({ description: `${names[name]} ${rule}` })] as const),
      [idField, t.id({ description: `${nodeIdOf(wordsOf(type.name))} ${rule}` })],
    ])
  return {
    /** Returns the fields of an input. */
    fields: (t: InputFields) => build(t) as Fields<Names | Id, InputFieldRef<SchemaTypes, Value>>,
    /** Returns the arguments of a field. */
    args: (t: ArgBuilder<SchemaTypes>) => build(t) as Fields<Names | Id, ArgumentRef<SchemaTypes, Value>>,
    /** Replaces the node id by the id of the row. @throws Refusal `MALFORMED` if it is not a node id of the type. */
    decode: <Given extends WithId<Id>>(given: Given): Given => {
      const nodeId: unknown = given[idField]
      return typeof nodeId === 'string' ? { ...given, [idField]: rowIdOf(type, nodeId, idField) } : given
    },
  }
}
