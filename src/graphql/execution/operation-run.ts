// One execution of an operation by its plan. The result is that of graphql's own execution, which takes three times as long:
// it collects fields and reads arguments for each object, and makes a promise for each object with a promise in it.
import {
  defaultFieldResolver,
  type ExecutionResult,
  getArgumentValues,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  isObjectType,
  locatedError,
  responsePathAsArray,
} from 'graphql'
import { schema } from '../schema/schema.ts'
import { FieldInfo, Slot, ResponseObject } from './slot.ts'
import type { Plan, PlannedField, PlannedType, Selection, Values } from './plan.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value['then'] === 'function'

const isIterable = (value: unknown): value is Iterable<unknown> => isObject(value) && Symbol.iterator in value

const nameOf = ({ parentType, definition }: PlannedField) => `${parentType.name}.${definition.name}`

const located = (thrown: unknown, { nodes }: PlannedField, slot: Slot) =>
  locatedError(thrown, nodes, responsePathAsArray(slot))

export class OperationRun {
  readonly #plan: Plan
  readonly #values: Values
  readonly #context: unknown
  /** By the number of the field: the same for all objects. */
  readonly #args: Values[] = []
  readonly #errors: GraphQLError[] = []
  /** The slots that are null because of an error. Undefined stands for the whole response. */
  readonly #nulled = new Set<Slot | undefined>()
  #data: ResponseObject | null = null
  /** The number of promises that the response waits for. */
  #waiting = 0
  #finish: (() => void) | undefined

  /** @param values the variables. */
  constructor(plan: Plan, values: Values, context: unknown) {
    this.#plan = plan
    this.#values = values
    this.#context = context
  }

  /** Executes a query. Call it once. */
  execute(type: GraphQLObjectType): ExecutionResult | Promise<ExecutionResult> {
    try {
      this.#data = this.#object(type, this.#plan.root, undefined, undefined)
    } catch (error) {
      this.#failWhole(error)
    }
    return this.#waiting === 0 ? this.#result() : this.#arrived().then(() => this.#result())
  }

  /** Executes a mutation: each root field begins when the one before it is complete. Call it once. */
  async executeInOrder(type: GraphQLObjectType): Promise<ExecutionResult> {
    const data = new ResponseObject()
    this.#data = data
    try {
      for (const field of this.#plan.root.fieldsOf(type)) {
        data[field.key] = this.#field(field, undefined, data, undefined)
        await this.#arrived()
        if (this.#nulled.has(undefined)) break
      }
    } catch (error) {
      this.#failWhole(error)
    }
    await this.#arrived()
    return this.#result()
  }

  /** Resolves when no promise is left. */
  async #arrived(): Promise<void> {
    if (this.#waiting === 0) return
    await new Promise<void>((resolve) => {
      this.#finish = resolve
    })
  }

  #failWhole(error: unknown): void {
    this.#data = null
    this.#report(error instanceof GraphQLError ? error : locatedError(error, undefined), undefined)
  }

  #result(): ExecutionResult {
    return this.#errors.length === 0 ? { data: this.#data } : { errors: this.#errors, data: this.#data }
  }

  /** @throws the error of a field that must not be null. */
  #object(type: GraphQLObjectType, selection: Selection, source: unknown, prev: Slot | undefined): ResponseObject {
    const object = new ResponseObject()
    for (const field of selection.fieldsOf(type)) {
      const column = columnOf(field, source)
      object[field.key] = column === undefined ? this.#field(field, source, object, prev) : column
    }
    return object
  }

  /** @returns undefined if the value comes later. @throws the error of a field that must not be null. */
  #field(field: PlannedField, source: unknown, object: ResponseObject, prev: Slot | undefined): unknown {
    const { key, parentType, type } = field
    const slot = new Slot(object, key, prev, parentType.name, type.isNullable)
    try {
      return this.#valueOf(type, this.#read(field, source, slot), field, slot)
    } catch (error) {
      return this.#fail(error, field, slot)
    }
  }

  #read(field: PlannedField, source: unknown, slot: Slot): unknown {
    const { definition } = field
    if (definition.resolve === undefined && isObject(source)) {
      const value = source[definition.name]
      if (typeof value !== 'function') return value
    }
    const resolve = definition.resolve ?? defaultFieldResolver
    return resolve(source, this.#argsOf(field), this.#context, new FieldInfo(this.#plan, this.#values, field, slot))
  }

  #argsOf(field: PlannedField): Values {
    if (field.args !== undefined) return field.args
    const [node] = field.nodes
    return (this.#args[field.index] ??= node ? getArgumentValues(field.definition, node, this.#values) : {})
  }

  #valueOf(type: PlannedType, value: unknown, field: PlannedField, slot: Slot): unknown {
    if (!isPromise(value)) return this.#complete(type, value, field, slot)
    this.#waiting += 1
    void this.#arrive(type, value, field, slot)
    return undefined
  }

  /** @throws any value. The caller turns it into the error of the field. */
  #complete(type: PlannedType, value: unknown, field: PlannedField, slot: Slot): unknown {
    if (value instanceof Error) throw value
    if (value !== null && value !== undefined) return this.#completePresent(type, value, field, slot)
    if (!type.isNullable) throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`)
    return null
  }

  #completePresent(type: PlannedType, value: unknown, field: PlannedField, slot: Slot): unknown {
    switch (type.kind) {
      case 'leaf':
        return serialize(type.type, value)
      case 'list':
        return this.#list(type.item, value, field, slot)
      case 'object':
        return this.#object(type.type, type.selection, value, slot)
      case 'abstract':
        return this.#object(this.#typeOf(type.type, value, field, slot), type.selection, value, slot)
    }
  }

  #list(type: PlannedType, value: unknown, field: PlannedField, prev: Slot): unknown[] {
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(field)}".`)
    const list: unknown[] = []
    for (const item of value) {
      const slot = new Slot(list, list.length, prev, undefined, type.isNullable)
      list.push(this.#item(type, item, field, slot))
    }
    return list
  }

  /** Like `#field`. */
  #item(type: PlannedType, value: unknown, field: PlannedField, slot: Slot): unknown {
    try {
      return this.#valueOf(type, value, field, slot)
    } catch (error) {
      return this.#fail(error, field, slot)
    }
  }

  #typeOf(type: GraphQLAbstractType, value: unknown, field: PlannedField, slot: Slot): GraphQLObjectType {
    const info = new FieldInfo(this.#plan, this.#values, field, slot)
    const name = type.resolveType?.(value, this.#context, info, type)
    // The types of this schema are known without a promise.
    const found = typeof name === 'string' ? schema.getType(name) : undefined
    if (isObjectType(found) && schema.isSubType(type, found)) return found
    throw new Error(`a value of ${nameOf(field)} is of no type of ${type.name}`)
  }

  /** Puts the value there when it arrives. */
  async #arrive(type: PlannedType, value: PromiseLike<unknown>, field: PlannedField, slot: Slot): Promise<void> {
    try {
      slot.set(this.#complete(type, await value, field, slot))
    } catch (error) {
      this.#failLater(error, field, slot)
    }
    this.#waiting -= 1
    if (this.#waiting === 0) this.#finish?.()
  }

  /** @returns null if the slot may be null. @throws otherwise: the object or list around it fails. */
  #fail(thrown: unknown, field: PlannedField, slot: Slot): null {
    const error = located(thrown, field, slot)
    if (!slot.isNullable) throw error
    this.#report(error, slot)
    return null
  }

  /** Makes the slot null, or the object or list around it that may be null. */
  #failLater(thrown: unknown, field: PlannedField, slot: Slot): void {
    let nearest: Slot | undefined = slot
    while (nearest !== undefined && !nearest.isNullable) nearest = nearest.prev
    if (nearest === undefined) this.#data = null
    else nearest.set(null)
    this.#report(located(thrown, field, slot), nearest)
  }

  /** Of the errors below a slot that is null, the response has the one that made it null. */
  #report(error: GraphQLError, nulled: Slot | undefined): void {
    let around = nulled
    while (around !== undefined && !this.#nulled.has(around)) around = around.prev
    if (this.#nulled.has(around)) return
    this.#nulled.add(nulled)
    this.#errors.push(error)
  }
}

/**
 * The value of most fields, for which an object has a value of its own. Undefined if there may be more to it, such as an
 * error.
 */
function columnOf({ definition, type }: PlannedField, source: unknown): unknown {
  if (definition.resolve !== undefined || type.kind !== 'leaf' || !isObject(source)) return undefined
  const value = source[definition.name]
  if (value === null && type.isNullable) return null
  if (typeof value !== 'string' && !(value instanceof Date)) return undefined
  try {
    return type.type.serialize(value)
  } catch {
    return undefined
  }
}

function serialize(type: GraphQLLeafType, value: unknown): unknown {
  const serialized: unknown = type.serialize(value)
  if (serialized === null || serialized === undefined) throw new Error(`a value of ${type.name} was serialized as null`)
  return serialized
}
