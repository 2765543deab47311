// Resolvers for any schema. Their results only depend on the path, and many fail.
import {
  getNamedType,
  getNullableType,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  responsePathAsArray,
} from 'graphql'
import { chanceOf, type Chance } from './chance.ts'

interface Options {
  readonly seed: number
  /** True if some values are promises. */
  readonly promises: boolean
}

function hash(text: string): number {
  let found = 2166136261
  for (const letter of text) found = Math.imul(found ^ (letter.codePointAt(0) ?? 0), 16777619)
  return found >>> 0
}

/** A promise whose rejection does not fail the process if nobody awaits it. */
function optional<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined)
  return promise
}

const rejected = (error: Error) => optional(Promise.reject(error))

async function wait(value: unknown, turns: number): Promise<unknown> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
  return value
}

const later = (value: unknown, turns: number) => optional(wait(value, turns))

/** A value of a type. Leaf values show the arguments. */
function presentOf(type: GraphQLOutputType, told: string, chance: Chance, options: Options): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    if (chance.once(60)) return 'no list'
    const items = Array.from({ length: chance.below(4) }, (_, index) =>
      valueOf(nullable.ofType, `${told}[${index}]`, chance, options),
    )
    // For promises next to an item that fails immediately, graphql-js leaves the rejections unhandled.
    return options.promises && isNonNullType(nullable.ofType) ? items.map((item) => later(item, 0)) : items
  }
  if (isEnumType(nullable)) return chance.once(60) ? 'no value' : chance.pick(nullable.getValues()).value
  if (isObjectType(nullable)) return rowOf(nullable.getFields(), told, options)
  if (isAbstractType(nullable)) return { abstract: told }
  switch (nullable.name) {
    case 'Int':
      return chance.once(60) ? 'no number' : chance.below(1000)
    case 'Float':
      return chance.below(1000) / 8
    case 'Boolean':
      return chance.once(2)
    default:
      return told
  }
}

/** An object with properties for its leaves, some of which are functions. */
function rowOf(
  fields: ReturnType<Extract<GraphQLOutputType, { getFields(): unknown }>['getFields']>,
  told: string,
  options: Options,
): object {
  return Object.fromEntries(
    Object.values(fields).flatMap((field) => {
      if (isAbstractType(getNamedType(field.type)) || isObjectType(getNamedType(field.type))) return []
      const path = `${told}.${field.name}`
      const value = valueOf(field.type, path, chanceOf(hash(path) + options.seed), options)
      return [[field.name, hash(path) % 5 === 0 ? () => value : value]]
    }),
  )
}

function valueOf(type: GraphQLOutputType, told: string, chance: Chance, options: Options): unknown {
  const isRare = isNonNullType(type) ? 40 : 15
  if (chance.once(isRare)) {
    const error = new Error(`failed at ${told}`)
    if (chance.once(3)) return error
    if (options.promises) return rejected(error)
    return chance.once(2) ? error : null
  }
  const value = !isNonNullType(type) && chance.once(10) ? null : presentOf(type, told, chance, options)
  return options.promises && chance.once(3) ? later(value, chance.below(4)) : value
}

/** A resolver for all fields. It throws, or returns the result of `valueOf`. */
export function resolverOf(options: Options): GraphQLFieldResolver<unknown, unknown> {
  return (_source, args, _context, { path, returnType }) => {
    const told = `${responsePathAsArray(path).join('.')} ${JSON.stringify(args)}`
    const chance = chanceOf(hash(told) + options.seed)
    if (chance.once(40)) throw new Error(`thrown at ${told}`)
    return valueOf(returnType, told, chance, options)
  }
}

/** Resolves the type of an interface or union value, sometimes as a promise, and rarely to nothing. */
export function typeOf(schema: GraphQLSchema, { seed, promises }: Options) {
  return (
    value: unknown,
    _context: unknown,
    _info: unknown,
    type: Parameters<GraphQLSchema['getPossibleTypes']>[0],
  ) => {
    const chance = chanceOf(hash(JSON.stringify(value)) + seed)
    const name = chance.once(30)
      ? chance.pick(['Query', 'Nothing', 'Boolean'])
      : chance.pick(schema.getPossibleTypes(type)).name
    // Resolves the types of interfaces by name.
    return promises && chance.once(3) ? later(name, chance.below(3)).then(String) : name
  }
}
