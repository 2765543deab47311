// Functions that the test cases of graphql-js call, for our executor. Based on graphql-js's test utilities: Copyright
// (c) GraphQL Contributors, MIT License.
import type { ExecutionResult } from 'graphql'
import { expect } from 'vitest'
import { execute, type OperationArgs } from '../../src/graphql/execution/execute.ts'

/** Executes an operation whose resolvers return no promise. @throws Error if one does. */
export function executeSync(args: OperationArgs): ExecutionResult {
  const result = execute(args)
  if (result instanceof Promise) throw new Error('GraphQL execution failed to complete synchronously.')
  return result
}

/** Converts a value as JSON does, but keeps values that JSON omits. */
function toJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON()
  if (Array.isArray(value)) return value.map(toJson)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]))
}

/** Compares errors by the parts that appear in a response. */
export function expectJSON(actual: unknown) {
  return {
    toDeepEqual(expected: unknown) {
      expect(toJson(actual)).to.deep.equal(toJson(expected))
    },
    toDeepNestedProperty(path: string, expected: unknown) {
      expect(toJson(actual)).to.deep.nested.property(path, toJson(expected))
    },
  }
}

export const resolveOnNextTick = () => Promise.resolve(undefined)

/** A result whose errors are sorted by path. */
export function inOrder<Result extends { readonly errors?: readonly { readonly path?: unknown }[] }>(
  result: Result,
): Result {
  const textOf = ({ path }: { readonly path?: unknown }) => JSON.stringify(path)
  const errors = result.errors?.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1))
  return { ...result, errors }
}
