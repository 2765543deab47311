// Validation errors of the REST API name fields that the request has: in the body, the path or the query.
import { beforeAll, describe, expect, test } from 'vitest'
import { table } from '../../src/rest/routes/table.ts'
import { type JsonSchema, partOf } from '../support/json-schema.ts'
import { type Client, useWorld } from '../support/world.ts'

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } }
}

const world = useWorld()
let gateway: Client
let document: OpenApi

beforeAll(async () => {
  gateway = await world.environment()
  document = (await (await world.app.fetch(new Request('http://gateway.test/openapi.json'))).json()) as OpenApi
})

const routes = table.map((route) => ({ ...route, name: `${route.method.toUpperCase()} ${route.path}` }))

/** Returns true if a value that matches the schema can have a field at the path. */
function hasPath(schema: JsonSchema | boolean | undefined, path: readonly string[]): boolean {
  const [key = '', ...rest] = path
  if (path.length === 0 || schema === true) return true
  if (typeof schema !== 'object') return false
  if (schema.$ref) return hasPath(partOf(document, schema.$ref), path)
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  if (forms.some((form) => hasPath(form, path))) return true
  if (schema.properties && Object.hasOwn(schema.properties, key)) return hasPath(schema.properties[key], rest)
  if (schema.type === 'array') return /^\d+$/.test(key) && hasPath(schema.items ?? true, rest)
  if (schema.properties) return false
  return schema.additionalProperties !== undefined && hasPath(schema.additionalProperties, rest)
}

const wrong = [null, 5, '', 'x'.repeat(3000), 'a\0b', [], {}, [{}], ['']]

/** Copies of a body, each with one value replaced by a wrong one, at any depth. */
function* spoiled(body: unknown): Generator {
  if (typeof body !== 'object' || body === null) return
  for (const [key, part] of Object.entries(body)) {
    for (const value of wrong) yield replaced(body, key, value)
    for (const inner of spoiled(part)) yield replaced(body, key, inner)
  }
}

const replaced = (body: object, key: string, value: unknown): unknown =>
  Array.isArray(body)
    ? body.map((item: unknown, index) => (String(index) === key ? value : item))
    : { ...body, [key]: value }

/** The properties of a body, including those that its example lacks. */
function fieldsOf(schema: JsonSchema | undefined): string[] {
  if (schema?.$ref) return fieldsOf(partOf(document, schema.$ref))
  return Object.keys(schema?.properties ?? {})
}

const bodyOf = ({ path, method }: (typeof routes)[number]) =>
  document.paths[path]?.[method]?.requestBody?.content['application/json'].schema

/** Further bodies, with forms that the examples do not have. */
const further: Readonly<Record<string, readonly object[]>> = {
  'PATCH /v2/topics/{topicKey}/subscriptions/{identifier}': [
    {
      preferences: [{ filter: { workflowIds: ['welcome'], tags: ['a'] }, enabled: true, condition: { '==': [1, 1] } }],
    },
    { preferences: [{ workflowId: 'welcome', enabled: true, condition: { '==': [1, 1] } }] },
    { preferences: ['welcome'] },
  ],
  'POST /v2/topics/{topicKey}/subscriptions': [
    {
      subscriptions: [{ subscriberId: 'ada', identifier: 'a', name: 'A' }],
      context: { tenant: { id: 'acme', data: {} } },
    },
  ],
  'POST /v1/events/trigger': [{ name: 'a', to: [{ type: 'Topic', topicKey: 'news', exclude: ['ada'] }, 'ada'] }],
}

/** The fields that the errors of a request name and that the request does not have. */
async function unknownFields(target: `${string} /${string}`, known: (path: string[]) => boolean, body?: unknown) {
  const answer = await gateway.rest(target, body === undefined ? {} : { body })
  if (answer.status !== 422) return []
  const fields = Object.keys(answer.body.errors)
  // A message starts with the name of its field.
  const misnamed = Object.entries(answer.body.errors).filter(([field, { messages }]) =>
    messages.some((message) => !message.startsWith(field.split('.')[0] ?? '')),
  )
  return [...fields.filter((field) => field !== '' && !known(field.split('.'))), ...misnamed.map(([field]) => field)]
}

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'a') as `/${string}`

describe('an error of the route', () => {
  test.each(routes.filter(({ body, takesFile }) => body !== undefined && takesFile === undefined))(
    '$name names fields of its body',
    async (route) => {
      const schema = bodyOf(route)
      const example = Object.assign(Object.fromEntries(fieldsOf(schema).map((field) => [field, null])), route.example)
      const bodies = [example, ...(further[route.name] ?? [])].flatMap((body) => [...spoiled(body)])
      const found = new Set<string>()
      for (const body of bodies) {
        const known = (path: string[]) => hasPath(schema, path) || Object.hasOwn(route.params.shape, path[0] ?? '')
        const target = `${route.method.toUpperCase()} ${filled(route.path)}` as const
        for (const field of await unknownFields(target, known, body)) found.add(field)
      }
      expect([...found]).toEqual([])
    },
    60_000,
  )

  test.each(routes)('$name names its parameters', async ({ method, path, params, query }) => {
    const names = [...Object.keys(params.shape), ...Object.keys(query.shape)]
    const known = ([name = '']: string[]) => names.includes(name)
    const found: string[] = []
    const verb = method.toUpperCase()
    for (const value of ['x'.repeat(600), '%20', 'a%00b']) {
      for (const name of Object.keys(query.shape)) {
        found.push(...(await unknownFields(`${verb} ${filled(path)}?${name}=${value}`, known)))
      }
      // A request without a body also has errors about the body.
      if (method === 'get') {
        found.push(...(await unknownFields(`${verb} ${path.replaceAll(/\{\w+\}/g, value) as `/${string}`}`, known)))
      }
    }
    if (method === 'get') expect([...new Set(found)]).toEqual([])
  })
})

test('an empty filter of a preference is reported under its name in the request', async () => {
  const answer = await gateway.rest('PATCH /v2/topics/news/subscriptions/a', {
    body: { preferences: [{ filter: {} }] },
  })
  expect(answer).toMatchObject({
    status: 422,
    body: {
      message: 'preferences[0].filter must name at least one workflow or tag',
      errors: { 'preferences.0.filter': { messages: [expect.stringMatching(/^preferences\[0\]\.filter must name/)] } },
    },
  })
})

test('an invalid filter of a list is reported under the name of its parameter', async () => {
  const email = 'x'.repeat(321)
  expect(await gateway.rest(`GET /v2/subscribers?email=${email}`)).toMatchObject({
    status: 422,
    body: { message: 'email must be at most 320 characters long', errors: { email: {} } },
  })
  expect(await gateway.rest('GET /v2/contexts?id=%20')).toMatchObject({ status: 422, body: { errors: { id: {} } } })
})
