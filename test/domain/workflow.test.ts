// Workflows: creating, listing, updating and deleting them.
import { describe, expect, test } from 'vitest'
import { environmentIdOf } from '../support/environment-id.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const fields = 'identifier name critical severity tags data'

describe('workflows', () => {
  test('are not critical and have no severity by default', async () => {
    const client = await world.environment()
    const { workflow } = await client.act(
      'createWorkflow',
      { identifier: 'digest', name: 'Weekly digest' },
      `workflow { ${fields} }`,
    )
    expect(workflow).toEqual({
      identifier: 'digest',
      name: 'Weekly digest',
      critical: false,
      severity: 'NONE',
      tags: [],
      data: {},
    })
    expect(await client.ask(`{ workflow(identifier: "digest") { ${fields} } }`)).toEqual({ workflow })
  })

  test('keep their tags in order, with duplicates removed', async () => {
    const client = await world.environment()
    const { workflow } = await client.act(
      'createWorkflow',
      { identifier: 'outage', name: 'Outage', tags: ['ops', 'urgent', 'ops'], severity: 'HIGH', critical: true },
      'workflow { tags severity critical }',
    )
    expect(workflow).toEqual({ tags: ['ops', 'urgent'], severity: 'HIGH', critical: true })
  })

  test('keep the fields that an update omits', async () => {
    const client = await world.environment()
    await client.act('createWorkflow', { identifier: 'digest', name: 'Digest', tags: ['a'], data: { team: 'growth' } })
    const { workflow } = await client.act(
      'updateWorkflow',
      { identifier: 'digest', severity: 'LOW', tags: [], name: null },
      `workflow { ${fields} }`,
    )
    expect(workflow).toMatchObject({ name: 'Digest', severity: 'LOW', tags: [], data: { team: 'growth' } })
    const nothing = await client.act('updateWorkflow', { identifier: 'digest' }, `workflow { ${fields} }`)
    expect(nothing.workflow).toEqual(workflow)
  })

  test('can be filtered by tags, all of which must match', async () => {
    const client = await world.environment()
    await client.act('createWorkflow', { identifier: 'one', name: 'One', tags: ['billing'] })
    await client.act('createWorkflow', { identifier: 'both', name: 'Both', tags: ['urgent', 'billing'] })
    await client.act('createWorkflow', { identifier: 'none', name: 'None' })
    const { workflows } = await client.ask(
      `{ workflows(filter: { tags: ["billing", "urgent"] }) { totalCount nodes { identifier } } }`,
    )
    expect(workflows).toEqual({ totalCount: 1, nodes: [{ identifier: 'both' }] })
    const { workflows: all } = await client.ask(
      '{ workflows(orderBy: { direction: ASC }, first: 2) { nodes { identifier } pageInfo { hasNextPage } } }',
    )
    expect(all).toEqual({
      nodes: [{ identifier: 'one' }, { identifier: 'both' }],
      pageInfo: { hasNextPage: true },
    })
  })

  test('can be filtered by tags, one of which must match, and by suspension', async () => {
    const client = await world.environment()
    const tagsOf = { plain: [], news: ['news'], sale: ['sale', 'news'] }
    for (const [identifier, tags] of Object.entries(tagsOf)) {
      await client.act('createWorkflow', { identifier, name: identifier, tags })
    }
    const found = async (filter: object) => {
      const { workflows } = await client.ask(
        `query ($filter: WorkflowFilter) {
          workflows(filter: $filter, orderBy: { field: IDENTIFIER, direction: ASC }) { nodes { identifier } totalCount }
        }`,
        { filter },
      )
      expect(workflows.totalCount).toBe(workflows.nodes.length)
      return workflows.nodes.map(({ identifier }) => identifier)
    }
    expect(await found({ anyTags: ['news', 'other'] })).toEqual(['news', 'sale'])
    expect(await found({ suspended: true })).toEqual([])
    const { id, updatedAt, environmentId } = await world.gateway.db.workflow.findFirstOrThrow({
      where: { identifier: 'sale', environmentId: await environmentIdOf(client) },
    })
    await world.gateway.db.workflowSuspension.create({
      data: { environmentId, workflowId: id, version: updatedAt, stoppedAt: [], suspendedAt: updatedAt, reason: 'x' },
    })
    expect(await found({ suspended: true })).toEqual(['sale'])
    expect(await found({ suspended: false, anyTags: ['news'] })).toEqual(['news'])
  })

  test('have a description, which null removes', async () => {
    const client = await world.environment()
    const description = 'Sent to new customers.'
    const read = 'workflow { description validatePayload }'
    const created = await client.act('createWorkflow', { identifier: 'welcome', name: 'Welcome', description }, read)
    expect(created.workflow).toEqual({ description, validatePayload: true })
    const kept = await client.act('updateWorkflow', { identifier: 'welcome', name: 'Hello' }, read)
    expect(kept.workflow).toEqual({ description, validatePayload: true })
    const removed = await client.act('updateWorkflow', { identifier: 'welcome', description: null }, read)
    expect(removed.workflow).toEqual({ description: null, validatePayload: true })
  })

  test('can be searched by identifier and name, and filtered by whether they are active', async () => {
    const client = await world.environment()
    const other = await world.environment()
    await other.act('createWorkflow', { identifier: 'order-theirs', name: 'Order' })
    await client.act('createWorkflow', { identifier: 'order-shipped', name: 'Your parcel' })
    await client.act('createWorkflow', { identifier: 'order-late', name: 'Delayed 100%', active: false })
    await client.act('createWorkflow', { identifier: 'welcome', name: 'Orders start here', tags: ['new'] })
    const found = async (filter: Record<string, unknown>) => {
      const { workflows } = await client.ask(
        `query ($filter: WorkflowFilter) {
          workflows(filter: $filter, orderBy: { direction: ASC }) { totalCount nodes { identifier } }
        }`,
        { filter },
      )
      const identifiers = workflows.nodes.map(({ identifier }: { identifier: string }) => identifier)
      expect(workflows.totalCount).toBe(identifiers.length)
      return identifiers
    }
    expect(await found({ search: 'ORDER' })).toEqual(['order-shipped', 'order-late', 'welcome'])
    expect(await found({ search: 'parcel' })).toEqual(['order-shipped'])
    expect(await found({ search: '100%' })).toEqual(['order-late'])
    expect(await found({ search: 'yo' })).toEqual(['order-shipped'])
    expect(await found({ search: 'rd' })).toEqual([])
    expect(await found({ active: false })).toEqual(['order-late'])
    expect(await found({ active: true })).toEqual(['order-shipped', 'welcome'])
    expect(await found({ active: true, search: 'order', tags: ['new'] })).toEqual(['welcome'])
    expect(await found({ active: null, search: null })).toHaveLength(3)
  })

  test('cannot share an identifier', async () => {
    const client = await world.environment()
    await client.act('createWorkflow', { identifier: 'digest', name: 'Digest' })
    expect(await client.act('createWorkflow', { identifier: 'digest', name: 'Other' }, 'workflow { name }')).toEqual({
      workflow: null,
      userErrors: [{ code: 'CONFLICT', message: 'Workflow "digest" already exists', field: ['identifier'] }],
    })
  })

  test.each([
    [
      'an identifier with a space',
      { identifier: 'my flow' },
      'identifier must be 1 to 255 letters, digits, "_" or "-"',
    ],
    ['an empty name', { name: '' }, 'name must not be empty'],
    ['an empty tag', { tags: ['ok', ''] }, 'tags[1] must not be empty'],
    ['51 tags', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 'tags must be at most 50 items long'],
  ])('are rejected with %s, and the error says what is allowed', async (_name, given, message) => {
    const client = await world.environment()
    const refused = await client.act('createWorkflow', { identifier: 'digest', name: 'Digest', ...given })
    expect(refused.userErrors).toEqual([expect.objectContaining({ code: 'BAD_USER_INPUT', message })])
    expect(await client.ask('{ workflows { totalCount } }')).toEqual({ workflows: { totalCount: 0 } })
  })

  test('cannot be read, updated or deleted once deleted', async () => {
    const client = await world.environment()
    const { workflow } = await client.act('createWorkflow', { identifier: 'digest', name: 'Digest' }, 'workflow { id }')
    const { deletedId } = await client.act('deleteWorkflow', { identifier: 'digest' }, 'deletedId')
    expect(deletedId).toBe(workflow.id)
    expect(await client.ask(`{ workflow(identifier: "digest") { id } }`)).toEqual({ workflow: null })
    const notFound = [{ code: 'NOT_FOUND', message: 'Workflow "digest" not found', field: ['identifier'] }]
    expect((await client.act('updateWorkflow', { identifier: 'digest' })).userErrors).toEqual(notFound)
    expect((await client.act('deleteWorkflow', { identifier: 'digest' })).userErrors).toEqual(notFound)
  })

  test('list their distinct tags', async () => {
    const [client, other] = [await world.environment(), await world.environment()]
    await client.act('createWorkflow', { identifier: 'outage', name: 'Outage', tags: ['urgent', 'ops'] })
    await client.act('createWorkflow', { identifier: 'incident', name: 'Incident', tags: ['ops', 'Audit'] })
    await other.act('createWorkflow', { identifier: 'offer', name: 'Offer', tags: ['marketing'] })
    expect(await client.ask('{ workflowTags }')).toEqual({ workflowTags: ['Audit', 'ops', 'urgent'] })
  })

  test('are not found from another environment', async () => {
    const [here, there] = [await world.environment(), await world.environment()]
    const { workflow } = await there.act('createWorkflow', { identifier: 'theirs', name: 'Theirs' }, 'workflow { id }')
    expect(
      await here.ask(`query ($id: ID!) { workflow(identifier: "theirs") { id } node(id: $id) { id } }`, workflow),
    ).toEqual({ workflow: null, node: null })
    expect((await here.act('deleteWorkflow', { identifier: 'theirs' })).userErrors).toMatchObject([
      { code: 'NOT_FOUND' },
    ])
  })
})
