// Operations that the gateway does not have: the published client gets an answer at once, and never repeats the call.
import { expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('an operation of another area is a 400 with one sentence, which the client does not repeat', async () => {
  const client = novuClient(world, world.development.key)
  await expect(client.layouts.list({})).rejects.toMatchObject({
    statusCode: 400,
    message: 'This gateway has no layouts: see docs/moving.md',
    data$: { ctx: { unsupported: 'GET /v2/layouts' } },
  })
})

test.each([
  ['GET', '/novu/v1/agents/one'],
  ['POST', '/novu/v2/layouts'],
  ['PUT', '/novu/v2/workflows/welcome/sync'],
  ['POST', '/novu/v1/integrations/chat/oauth'],
  ['PATCH', '/novu/v2/topics'],
  ['GET', '/novu/v1/nothing'],
] as const)('%s %s is a 400, never a 404, 405 or 501', async (method, path) => {
  const headers = { authorization: `ApiKey ${world.development.key}` }
  const response = await world.app.fetch(new Request(`http://gateway.test${path}`, { method, headers }))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ ctx: { unsupported: `${method} ${path.slice('/novu'.length)}` } })
})

test('a path without a key is a 401', async () => {
  const response = await world.app.fetch(new Request('http://gateway.test/novu/v2/layouts'))
  expect(response.status).toBe(401)
})

test('an application can read the description of the paths', async () => {
  const response = await world.app.fetch(new Request('http://gateway.test/novu/openapi.json'))
  const { paths } = (await response.json()) as { paths: object }
  expect(Object.keys(paths)).toContain('/novu/v2/topics')
})
