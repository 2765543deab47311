// What an operation may cost: the number of objects that it could return, page sizes multiplied in, and its depth.
import { createComplexityRule } from '@pothos/plugin-complexity'
import {
  type ExecutionArgs,
  getNamedType,
  getNullableType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  validate,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../lib/page.ts'
import { codedError } from './errors.ts'

/** Objects that one operation may ask for: a full page of which each has a full page, and each of those an object. */
export const MAX_COST = 25_000

/** Fields inside each other, whichever fragments they are in. Introspection is not counted. */
export const MAX_DEPTH = 20

/** How many items a list that is no connection is taken to have. */
const LIST_SIZE = 10

interface Costed {
  readonly name: string
  readonly type: GraphQLOutputType
}

/**
 * A leaf is free and an object costs one, once for every node that the connections and lists around it may have.
 * `edges` and `pageInfo` are only parts of their connection.
 */
export function costOf(args: Record<string, unknown>, _context: unknown, field: Costed) {
  const type = getNamedType(field.type)
  if (isLeafType(type) || field.name === 'edges' || field.name === 'pageInfo') return { field: 0, multiplier: 1 }
  if (type.name.endsWith('Connection')) return { field: 1, multiplier: pageSize(args) }
  if (field.name === 'nodes' && args['ids'] === undefined) return { field: 1, multiplier: 1 }
  const size = listSize(args, field.type)
  return { field: size, multiplier: size }
}

/** What is out of bounds is refused by its resolver, and until then counts as the most. */
function pageSize({ first, last }: Record<string, unknown>): number {
  const asked = first ?? last ?? DEFAULT_PAGE_SIZE
  return typeof asked === 'number' && asked >= 0 ? Math.min(asked, MAX_PAGE_SIZE) : MAX_PAGE_SIZE
}

function listSize({ ids }: Record<string, unknown>, type: GraphQLOutputType): number {
  if (!isListType(getNullableType(type))) return 1
  return Array.isArray(ids) ? Math.min(ids.length, MAX_PAGE_SIZE) : LIST_SIZE
}

function assertCost({ schema, document, operationName, variableValues }: ExecutionArgs): void {
  const rule = createComplexityRule({
    context: {},
    operationName,
    variableValues: variableValues ?? {},
    validate({ complexity, depth }, report) {
      if (depth > MAX_DEPTH) {
        const message = `The query has fields ${depth} levels deep, and ${MAX_DEPTH} are allowed`
        report(codedError('QUERY_TOO_DEEP', message))
      }
      if (complexity > MAX_COST) {
        const message = `This operation could return ${complexity} objects, and ${MAX_COST} are allowed: ask for smaller pages or fewer levels`
        report(codedError('QUERY_TOO_COSTLY', message))
      }
    },
  })
  const errors = validate(schema, document, [rule])
  if (errors.length > 0) throw new AggregateError(errors)
}

/** Refuses an operation that asks for too much, before any of it runs. Of a subscription, that is each of its results. */
export function useCostLimit(): Plugin {
  return {
    onExecute({ args }: { args: ExecutionArgs }) {
      assertCost(args)
    },
    onSubscribe({ args }: { args: ExecutionArgs }) {
      assertCost(args)
    },
  }
}
