// Places of a response, and what resolvers learn of theirs.
import type { GraphQLResolveInfo } from 'graphql'
import { schema } from '../schema/schema.ts'
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

/** The field that a resolver is called for. */
export class FieldInfo implements GraphQLResolveInfo {
  readonly #plan: Plan
  readonly #field: PlannedField
  readonly path: Slot
  readonly variableValues: Values

  constructor(plan: Plan, variableValues: Values, field: PlannedField, path: Slot) {
    this.#plan = plan
    this.#field = field
    this.path = path
    this.variableValues = variableValues
  }

  get schema() {
    return schema
  }
  get rootValue() {
    return undefined
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
    return this.#plan.fragments
  }
  get operation() {
    return this.#plan.operation
  }
}
