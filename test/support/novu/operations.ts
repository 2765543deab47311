// The operations of the published client, read from the unmodified package, and what the gateway has of each.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Novu } from '@novu/api'
import type { Route } from '../../../src/rest/route.ts'
import { novuTable } from '../../../src/rest/vocabularies/novu/table.ts'
import { areaOfPath, areas } from '../../../src/rest/vocabularies/novu/words/outside.ts'
import { prefix } from '../../../src/rest/vocabularies/novu/words/prefix.ts'
import { markdownTable } from '../../../src/settings/printed-files.ts'

export interface Operation {
  /** As a caller writes it, such as `topics.subscriptions.list`. */
  readonly name: string
  readonly method: string
  /** The path with its parameters, such as `/v2/topics/{topicKey}`. */
  readonly path: string
  /** The code of the function that sends the request. */
  readonly code: string
}

const functions = path.join(path.dirname(createRequire(import.meta.url).resolve('@novu/api')), 'funcs')

/** Reads method and path of an operation from the function that a method of the client calls. */
function readOperation(name: string, method: object): Operation {
  const [, called] = /\.(\w+)\)\(this\b/.exec(Function.prototype.toString.call(method)) ?? []
  if (called === undefined) throw new Error(`${name} calls no function of the client`)
  const text = readFileSync(path.join(functions, `${called}.js`), 'utf8')
  const [, verb] = /method: "(\w+)"/.exec(text) ?? []
  const [, target] = /pathToFunc\)\("([^"]+)"\)/.exec(text) ?? []
  if (verb === undefined || target === undefined) throw new Error(`${name} has no method and path`)
  return { name, method: verb, path: target, code: text }
}

/** Returns the operations of a part of the client and of the parts in it. @param name of the part, with a final dot. */
function operationsOf(part: object, name = ''): Operation[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(part)).flatMap((member) => {
    if (member === 'constructor') return []
    const value: unknown = Reflect.get(part, member)
    if (value instanceof Function) return [readOperation(`${name}${member}`, value)]
    return value instanceof Object ? operationsOf(value, `${name}${member}.`) : []
  })
}

/** Every operation of the client, by its name. */
export const operations: readonly Operation[] = operationsOf(new Novu()).sort((a, b) => (a.name < b.name ? -1 : 1))

/** A path with the same name for all of its parameters. */
const shapeOf = (target: string) => target.replaceAll(/\{\w+\}/g, '{}')

const routed = new Map(novuTable.map((route) => [`${route.method.toUpperCase()} ${shapeOf(route.path)}`, route]))

/** The route that answers an operation. */
export const routeOf = (operation: Operation): Route | undefined =>
  routed.get(`${operation.method} ${prefix}${shapeOf(operation.path)}`)

/** Whether a route answers an operation. */
export const hasRoute = (operation: Operation): boolean => routeOf(operation) !== undefined

/** Whether an operation is in one of the areas that the gateway does not have. */
export const isOutside = (operation: Operation): boolean => areaOfPath(operation.path) !== undefined

const code = (text: string) => `\`${text}\``

/** The operations that an area has, in a cell of the table. */
const inCell = (within: readonly Operation[]) => within.map(({ name }) => code(name)).join(', ')

/** What the gateway has of the client, for docs/moving.md. */
function printOperations(): string {
  const inside = operations.filter((operation) => !isOutside(operation))
  const answered = inside.map((operation) => [
    code(operation.name),
    code(`${operation.method} ${operation.path}`),
    hasRoute(operation) ? 'yes' : 'not yet',
  ])
  const outside = areas.flatMap((area) => {
    const within = operations.filter(({ path }) => areaOfPath(path) === area)
    return within.length === 0 ? [] : [[area.name, String(within.length), inCell(within), area.reason]]
  })
  return `${markdownTable([['operation', 'method and path', 'works'], ...answered])}
The client has ${operations.length - inside.length} further operations, which return 400:

${markdownTable([['area', 'number', 'operations', 'why not'], ...outside])}`
}

const printed = /(?<=<!-- operations -->\n\n).*(?=\n<!-- \/operations -->)/s

/** Returns docs/moving.md with the operations as they are. */
export function withOperations(page: string): string {
  if (!printed.test(page)) throw new Error('docs/moving.md has no place for the operations')
  return page.replace(printed, printOperations)
}
