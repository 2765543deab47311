// Environments through the published client.
import { expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

test('the tags of an environment are those of its workflows, each once', async () => {
  const acme = await world.environment()
  const client = novuClient(world, acme.key)
  await acme.act('createWorkflow', { identifier: 'outage', name: 'Outage', tags: ['urgent', 'ops'] })
  await acme.act('createWorkflow', { identifier: 'incident', name: 'Incident', tags: ['ops'] })
  const { result: all } = await client.environments.list()
  const own = await acme.ask('{ environment { identifier } }')
  const { id } = all.find(({ identifier }) => identifier === own.environment.identifier) ?? {}
  const { result } = await client.environments.getTags(id ?? '')
  expect(result).toEqual([{ name: 'ops' }, { name: 'urgent' }])
})

test('the tags of another environment are not found', async () => {
  const [acme, globex] = [await world.environment(), await world.environment()]
  await globex.act('createWorkflow', { identifier: 'offer', name: 'Offer', tags: ['marketing'] })
  const { result: all } = await novuClient(world, globex.key).environments.list()
  const theirs = await globex.ask('{ environment { identifier } }')
  const { id } = all.find(({ identifier }) => identifier === theirs.environment.identifier) ?? {}
  await expect(novuClient(world, acme.key).environments.getTags(id ?? '')).rejects.toMatchObject({ statusCode: 404 })
})
