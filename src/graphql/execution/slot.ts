// Positions in a response, and the information that resolvers receive about theirs.
import type { GraphQLResolveInfo } from 'graphql'
import type { Plan, PlannedField, Values } from './plan.ts'

/** An object of a response. */
export class ResponseObject {
  [key: string]: unknown
}
// A query may choose any key, and `__proto__` would be special in an ordinary object.
Object.setPrototypeOf(ResponseObject.prototype, null)

/** A position in a response, and its path. */
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

/** Information shared by all fields of an execution. */
interface Shared {
  readonly plan: Plan
  readonly values: Values
  readonly rootValue: unknown
}

/** The field whose resolver is called. */
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
