// Every writing route gives its resolver the same input as the mutation does, and leaves out no field of its request.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Refusal } from '../../src/lib/errors.ts'
import type { Route } from '../../src/rest/route.ts'
import { table } from '../../src/rest/routes/table.ts'
import { type Client, useWorld } from '../support/world.ts'
import { parityCases, row } from '../support/parity-cases.ts'

const world = useWorld()

/** The values of path parameters. `id` is a row id, and a node id in the graph. */
const params: Readonly<Record<string, string>> = {
  id: row,
  categoryKey: 'news',
  identifier: 'order',
  providerId: 'fcm',
  subscriberId: 'ada',
  topicKey: 'orders',
  transactionId: 'order-7',
  type: 'tenant',
}

const writing = table.filter(({ method }) => method !== 'get')
const routes = new Map(writing.map((route) => [route.name, route]))

type Fields = Readonly<Record<string, unknown>>

/** Returns the paths of all fields of a schema, such as `credentials.webhookUrl` and `subscribers.0.also`. */
function pathsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, field]) => [
      name,
      ...pathsOf(field).map((path) => `${name}.${path}`),
    ])
  }
  if (schema instanceof z.ZodArray) return pathsOf(schema.element).map((path) => `0.${path}`)
  if (schema instanceof z.ZodPipe) return pathsOf(schema.in)
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
  return isWrapper ? pathsOf(schema.def.innerType) : []
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), value)

/** Returns a copy without the field at a path. */
function without(fields: Fields, path: string): Fields {
  const copy = structuredClone(fields)
  const names = path.split('.')
  const parent = valueAt(copy, names.slice(0, -1))
  if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, names.at(-1) ?? '')
  return copy
}

/** Calls a route without checking its response, because the resolver is stopped. */
async function request(
  client: Client,
  { method, path }: Route,
  query: Fields,
  body: Fields | undefined,
): Promise<void> {
  const url = new URL(`http://gateway.test${path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '')}`)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) url.searchParams.append(name, String(one))
  }
  await world.app.fetch(
    new Request(url, {
      method: method.toUpperCase(),
      headers: { authorization: `ApiKey ${client.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
}

/** Stops the resolver of a route before it runs. @returns the inputs that it would have received, one per call. */
function inputsOf({ resolver }: Route): unknown[] {
  const inputs: unknown[] = []
  vi.spyOn(resolver, 'act').mockImplementation(async (_scope, input) => {
    inputs.push(input)
    throw new Refusal('INVALID', 'stopped')
  })
  return inputs
}

afterEach(() => vi.restoreAllMocks())

test('every writing route has a case', () => {
  expect(Object.keys(parityCases).sort()).toEqual([...routes.keys()].sort())
})

describe.each(Object.entries(parityCases))('%s', (name, { query = {}, body, graph: [mutation, input], more = {} }) => {
  const route = routes.get(name)
  if (route === undefined) return
  const fields = [...Object.keys(route.query.shape).map((field) => `?${field}`), ...pathsOf(route.body)]

  test('has a value for each of its fields', () => {
    const lacking = fields.filter((field) =>
      field.startsWith('?') ? query[field.slice(1)] === undefined : valueAt(body, field.split('.')) === undefined,
    )
    expect(lacking).toEqual([])
  })

  test(`gives its resolver the same input as ${mutation}`, async () => {
    const inputs = inputsOf(route)
    await request(world.development, route, query, body)
    await world.development.act(mutation, input)
    const [atRest, atGraph] = inputs
    expect(inputs).toHaveLength(2)
    expect(atRest).toEqual({ ...z.record(z.string(), z.unknown()).parse(atGraph), ...more })
  })

  test.runIf(fields.length > 0)('passes on each of its fields', async () => {
    const inputs = inputsOf(route)
    /** The input of the resolver. Undefined if a required field is missing. */
    const given = async (sent: Fields, sentBody: Fields | undefined) => {
      await request(world.development, route, sent, sentBody)
      return inputs.pop()
    }
    for (const path of pathsOf(route.body)) {
      expect(await given(query, without(body ?? {}, path)), path).not.toEqual(await given(query, body))
    }
    for (const name of Object.keys(route.query.shape)) {
      // A body field takes precedence over the parameter of the same name.
      const others = body && without(body, name)
      expect(await given(without(query, name), others), name).not.toEqual(await given(query, others))
    }
  })
})
