// Limits how often a query selects the same field in the same place, fragments included.
//
// Fields with the same response key are merged. Validation compares them in pairs, so its time grows with the square of
// their number, and so does its time for fragments that are spread in one place.
import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { shorten } from '../../lib/shorten.ts'
import { codedError } from './errors.ts'

/** Maximum fields with the same response key in one place. */
export const MAX_REPEATS = 100
/** Maximum fragments in one place, including nested ones. */
export const MAX_SPREADS = 200
/** Maximum fields and fragments, counted once for each place in which a fragment puts them. */
const MAX_SELECTIONS = 10_000

/** Visits each place of a response once, with all selections that are merged there. */
class Places {
  /** Fragments that have not been spread yet. */
  readonly unused: Set<FragmentDefinitionNode>
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #numbers = new Map<SelectionSetNode, number>()
  readonly #visited = new Set<string>()
  #selections = 0

  constructor({ definitions }: DocumentNode) {
    const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    this.unused = new Set(fragments)
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  }

  visit(merged: readonly SelectionSetNode[]): void {
    const name = merged.map((set) => this.#numberOf(set)).join()
    if (this.#visited.has(name)) return
    this.#visited.add(name)
    const fields = new Map<string, FieldNode[]>()
    const spread = new Set<string>()
    for (const set of merged) this.#collect(set, fields, spread)
    for (const nodes of fields.values()) {
      const inner = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
      if (inner.length > 0) this.visit(inner)
    }
  }

  #numberOf(set: SelectionSetNode): number {
    const number = this.#numbers.get(set) ?? this.#numbers.size
    this.#numbers.set(set, number)
    return number
  }

  #collect({ selections }: SelectionSetNode, fields: Map<string, FieldNode[]>, spread: Set<string>): void {
    for (const selection of selections) {
      this.#selections += 1
      if (this.#selections > MAX_SELECTIONS) {
        throw codedError(
          'TOO_MANY_FIELDS',
          `The query selects more than ${MAX_SELECTIONS} fields through its fragments`,
        )
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) this.#collect(selection.selectionSet, fields, spread)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#spread(selection.name.value, fields, spread)
      else add(selection, fields)
    }
  }

  #spread(name: string, fields: Map<string, FieldNode[]>, spread: Set<string>): void {
    if (spread.has(name)) return
    spread.add(name)
    if (spread.size > MAX_SPREADS) {
      throw codedError('TOO_MANY_FIELDS', `The query spreads more than ${MAX_SPREADS} fragments in one place`)
    }
    const fragment = this.#fragments.get(name)
    if (fragment === undefined) return
    this.unused.delete(fragment)
    this.#collect(fragment.selectionSet, fields, spread)
  }
}

function add(field: FieldNode, fields: Map<string, FieldNode[]>): void {
  const key = (field.alias ?? field.name).value
  const nodes = fields.get(key)
  if (nodes === undefined) fields.set(key, [field])
  else if (nodes.push(field) > MAX_REPEATS) {
    throw codedError(
      'TOO_MANY_FIELDS',
      `The query selects "${shorten(key, 100)}" more than ${MAX_REPEATS} times in one place`,
    )
  }
}

/** @throws GraphQLError `TOO_MANY_FIELDS` */
export function assertRepeats(document: DocumentNode): void {
  const places = new Places(document)
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) places.visit([definition.selectionSet])
  }
  // Validation also compares these.
  for (const { selectionSet } of places.unused) places.visit([selectionSet])
}
