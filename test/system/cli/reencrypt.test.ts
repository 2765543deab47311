// The rotation of an encryption key, as docs/operations.md describes it, with real processes.
import { beforeAll, expect, test, vi } from 'vitest'
import { newKeyRing } from '../../../src/lib/cipher.ts'
import { build, freshSettings, runCommand, send, started } from '../../support/process/gateway-process.ts'
import { onServer } from '../../support/on-server.ts'

vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const createEndpoint = `mutation ($identifier: String!) {
  createIntegration(input: { identifier: $identifier, providerId: CHAT_WEBHOOK }) { userErrors { message } }
  createChannelEndpoint(input: {
    identifier: $identifier, subscriberId: "ada", integrationIdentifier: $identifier
    endpoint: { webhook: { url: "https://chat.example.com/hook" } }
  }) { userErrors { message } }
}`
const endpoints = '{ channelEndpoints { nodes { identifier endpoint { ... on Webhook { url } } } } }'

test('an operator rotates the key while processes run, and then removes the old one', async () => {
  const [first, second] = [newKeyRing('first'), newKeyRing('second')]
  const settings = await freshSettings()
  // On a server, another process runs throughout. It is restarted with each new list, like the first one.
  const startAll = async (ring: string) => {
    const count = onServer ? 2 : 1
    const processes = []
    for (let index = 0; index < count; index += 1) processes.push(await started({ ...settings, ENCRYPTION_KEYS: ring }))
    return processes
  }
  const stopAll = async (processes: Awaited<ReturnType<typeof startAll>>) => {
    for (const { gateway } of processes) expect(await gateway.kill('SIGTERM')).toBe(0)
  }
  let processes = await startAll(first)
  const key = processes[0]?.keys[0] ?? ''
  const address = () => processes.at(-1)?.address ?? ''
  await send(address(), key, 'mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }')
  const create = async (identifier: string) => {
    const { body } = await send(address(), key, createEndpoint, { identifier })
    expect(body.data.createChannelEndpoint.userErrors).toEqual([])
  }
  await create('before')
  for (const ring of [`${first},${second}`, `${second},${first}`]) {
    await stopAll(processes)
    processes = await startAll(ring)
  }
  await create('between')
  const rotated = await runCommand({ ...settings, ENCRYPTION_KEYS: `${second},${first}` }, ['reencrypt'])
  expect(rotated.code, rotated.stderr).toBe(0)
  expect(rotated.stdout).toContain('Every secret is encrypted with the key "second". Older keys can be removed.')
  await create('after')
  await stopAll(processes)
  processes = await startAll(second)
  const { body } = await send(address(), key, endpoints)
  expect(body.errors).toBeUndefined()
  expect(body.data.channelEndpoints.nodes.map(({ identifier }: { identifier: string }) => identifier)).toEqual([
    'after',
    'between',
    'before',
  ])
  await stopAll(processes)
})
