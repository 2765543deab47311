// Tells apart the kinds of values that resolvers return.

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value['then'] === 'function'

/** True for an iterable object. Strings do not count. */
export const isIterable = (value: unknown): value is Iterable<unknown> =>
  isObject(value) && typeof Reflect.get(value, Symbol.iterator) === 'function'
