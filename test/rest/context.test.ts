// Contexts over REST.
import { describe, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const acmeTenant = { type: 'tenant', id: 'acme', data: { plan: 'pro' } }

describe('contexts', () => {
  test('are created with 201, and rejected with 409 if they exist', async () => {
    const acme = await world.environment()
    const created = await acme.rest('POST /v2/contexts', { body: acmeTenant })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ ...acmeTenant, createdAt: expect.any(String), updatedAt: expect.any(String) })
    const again = await acme.rest('POST /v2/contexts', { body: acmeTenant })
    expect(again).toMatchObject({ status: 409, body: { message: 'Context "tenant:acme" already exists' } })
  })

  test('return a 422 that names an invalid type and id', async () => {
    const refused = await world.development.rest('POST /v2/contexts', { body: { type: 'a b', id: '' } })
    expect(refused.status).toBe(422)
    expect(Object.keys(refused.body.errors)).toEqual(['type', 'id'])
  })

  test('can be read, updated, listed, searched and deleted', async () => {
    const acme = await world.environment()
    await acme.rest('POST /v2/contexts', { body: acmeTenant })
    await acme.rest('POST /v2/contexts', { body: { type: 'app', id: 'shop' } })
    const changed = await acme.rest('PATCH /v2/contexts/tenant/acme', { body: { data: { logo: 'a.png' } } })
    expect(changed).toMatchObject({ status: 200, body: { data: { logo: 'a.png' } } })
    expect((await acme.rest('GET /v2/contexts/tenant/acme')).body.data).toEqual({ logo: 'a.png' })
    const listed = await acme.rest('GET /v2/contexts?type=tenant')
    expect(listed.body).toMatchObject({ data: [{ id: 'acme' }], totalCount: 1, next: null, previous: null })
    expect((await acme.rest('GET /v2/contexts?search=SHO')).body.data).toMatchObject([{ type: 'app', id: 'shop' }])
    expect(await acme.rest('DELETE /v2/contexts/tenant/acme')).toMatchObject({ status: 204, body: undefined })
    expect(await acme.rest('GET /v2/contexts/tenant/acme')).toMatchObject({
      status: 404,
      body: { message: 'Context "tenant:acme" not found' },
    })
  })
})
