// References: how the input of a resolver names one object, by the name that callers give it or by the id of its row.
import { z } from 'zod'
import { refuse, Refusal } from '../../lib/errors.ts'

/** The input schema of the id of a row, where the object's own name is accepted in its place. */
export const rowId = z.uuid().nullish()

/** Fields of an input. Null and undefined stand for an absent field. */
type Fields = Readonly<Record<string, string | null | undefined>>

type Present<Given extends Fields> = { readonly [Field in keyof Given]: NonNullable<Given[Field]> }

/** One object: by its own name, which may have several fields, or by its id. */
type Reference<Names extends Fields, Id extends Fields> = Present<Names> | Present<Id>

const isGiven = (fields: Fields, name: string) => fields[name] !== null && fields[name] !== undefined

/**
 * Returns the one of two ways in which an input names an object.
 *
 * @param names the fields of the object's own name, such as `{ key }`.
 * @param id the field of its id, such as `{ id }`.
 * @throws Refusal `INVALID` if neither is given, `MALFORMED` if both are.
 */
export function referenceOf<Names extends Fields, Id extends Fields>(names: Names, id: Id): Reference<Names, Id> {
  const all = Object.keys(names)
  const given = all.filter((name) => isGiven(names, name))
  const [idField = ''] = Object.keys(id)
  if (isGiven(id, idField)) {
    // The field was just found to have a value.
    if (given.length === 0) return id as Present<Id>
    throw refuse('MALFORMED', `${idField} must not be given together with ${given.join(' and ')}`, idField)
  }
  const missing = all.find((name) => !isGiven(names, name))
  // No field is missing.
  if (missing === undefined) return names as Present<Names>
  const own = all.join(' and ')
  const message = all.length > 1 ? `${own}, or ${idField}, are required` : `${own} or ${idField} is required`
  throw new Refusal('INVALID', message, { issues: [{ path: [missing], message, reason: 'required' }] })
}

/** Returns the field by which an input names an object, and its value. Of a name with several fields, the last. */
export function nameIn(reference: Readonly<Record<string, string>>): readonly [field: string, value: string] {
  const [field = '', value = ''] = Object.entries(reference).at(-1) ?? []
  return [field, value]
}

/** The refusal for an object that does not exist, which names the field. @param noun capitalized, such as `Topic`. */
export function notFound(noun: string, reference: Readonly<Record<string, string>>): Refusal {
  const [field, named] = nameIn(reference)
  return refuse('NOT_FOUND', `${noun} "${named}" not found`, field, named)
}
