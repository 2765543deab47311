// Environments in the REST API.
import { describe, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('environments', () => {
  test('are created with 201 and their first API key, which is shown only once', async () => {
    const created = await world.development.rest('POST /v1/environments', { body: { name: 'QA', color: '#0ea5e9' } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      _id: expect.any(String),
      name: 'QA',
      _organizationId: expect.any(String),
      identifier: expect.any(String),
      type: 'prod',
      sending: 'live',
      allowedDestinations: [],
      allowsUnsignedSessions: false,
      apiKeys: [{ key: expect.any(String), _userId: expect.any(String), hash: expect.any(String) }],
      slug: expect.stringMatching(/^qa-/),
      color: '#0ea5e9',
    })
    const [{ key }] = created.body.apiKeys
    expect((await world.client(key).rest('GET /v2/subscribers')).status).toBe(200)
    const listed = await world.development.rest('GET /v1/environments?limit=100')
    expect(listed.body.data.map(({ name }) => name)).toContain('QA')
    expect(JSON.stringify(listed.body)).not.toContain(key)
  })

  test('accept the id of a parent and return 404 for an unknown one', async () => {
    const { body } = await world.development.rest('GET /v1/environments')
    const parentId = body.data[0]._id
    const child = await world.development.rest('POST /v1/environments', {
      body: { name: 'Child', color: '#000', parentId },
    })
    expect(child.body._parentId).toBe(parentId)
    const orphan = await world.development.rest('POST /v1/environments', {
      body: { name: 'Orphan', color: '#000', parentId: '00000000-0000-7000-8000-000000000000' },
    })
    expect(orphan.status).toBe(404)
  })

  test('reject an invalid hex color with 422 and a name that is taken with 409', async () => {
    const bad = await world.development.rest('POST /v1/environments', { body: { name: 'Red', color: 'red' } })
    expect(bad).toMatchObject({ status: 422, body: { errors: { color: { value: 'red' } } } })
    const taken = await world.development.rest('POST /v1/environments', { body: { name: 'Production', color: '#000' } })
    expect(taken.status).toBe(409)
  })

  test('are updated with PUT and deleted with an empty 200', async () => {
    const { body } = await world.development.rest('POST /v1/environments', { body: { name: 'Old', color: '#000' } })
    const changed = await world.development.rest(`PUT /v1/environments/${body._id}`, { body: { name: 'New' } })
    expect(changed).toMatchObject({ status: 200, body: { name: 'New', apiKeys: [] } })
    const deleted = await world.development.rest(`DELETE /v1/environments/${body._id}`)
    expect(deleted).toMatchObject({ status: 200, body: undefined })
    expect(deleted.headers.has('content-type')).toBe(false)
    expect((await world.client(body.apiKeys[0].key).rest('GET /v2/subscribers')).status).toBe(401)
  })
})
