// Places of a response, and what resolvers learn of theirs.
import type { GraphQLResolveInfo } from 'graphql'
import type { Plan, PlannedField, Values } from './plan.ts'

/** An object of a response. */
export class ResponseObject {
  [key: string]: unknown
}
// A query may choose any key. Of other objects, `__proto__` is no ordinary one.
Object.setPrototypeOf(ResponseObject.prototype, null)

/** A place of a response, and the path to it. */
export class Slot {
  readonly key: string | number
  readonly prev: Slot | undefined
  readonly typename: string | undefined
  readonly isNullable: boolean
  readonly #container: ResponseObject | unknown[]

  constructor(
    container: ResponseObject | unknown[],
    key: string | number,
    prev: Slot | undefined,
    typename: string | undefined,
    isNullable: boolean,
  ) {
    this.key = key
    this.prev = prev
    this.typename = typename
    this.isNullable = isNullable
    this.#container = container
  }

  set(value: unknown): void {
    Reflect.set(this.#container, this.key, value)
  }
}

/** What the fields of one execution have in common. */
interface Shared {
  readonly plan: Plan
  readonly values: Values
  readonly rootValue: unknown
}

/** The field that a resolver is called for. */
export class FieldInfo implements GraphQLResolveInfo {
  readonly #shared: Shared
  readonly #field: PlannedField
  readonly path: Slot
  readonly variableValues: Values

  constructor(shared: Shared, field: PlannedField, path: Slot) {
    this.#shared = shared
    this.#field = field
    this.path = path
    this.variableValues = shared.values
  }

  get schema() {
    return this.#shared.plan.schema
  }
  get rootValue() {
    return this.#shared.rootValue
  }
  get fieldName() {
    return this.#field.definition.name
  }
  get fieldNodes() {
    return this.#field.nodes
  }
  get returnType() {
    return this.#field.definition.type
  }
  get parentType() {
    return this.#field.parentType
  }
  get fragments() {
    return this.#shared.plan.fragments
  }
  get operation() {
    return this.#shared.plan.operation
  }
}
