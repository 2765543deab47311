// export subscriber and erase subscriber: what is known about a person, and its removal.
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandLineOf } from '../support/command-line.ts'
import { temporaryFolder } from '../support/gateway-process.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)
const ada = { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' }

async function triggered() {
  const client = world.development
  await client.act('createSubscriber', ada)
  await client.act('createWorkflow', {
    identifier: 'welcome',
    name: 'Welcome',
    steps: [{ inApp: { body: 'Hello {{subscriber.firstName}}' } }],
  })
  const payload = { note: 'for ada@example.com and old@example.com' }
  await client.act('triggerEvent', { name: 'welcome', to: [{ subscriber: { subscriberId: 'ada' } }], payload })
  await world.work()
  return client
}

test('a person is exported as one JSON document, and erased by the jobs of a gateway', async () => {
  const client = await triggered()
  const file = path.join(await temporaryFolder(), 'ada.json')
  expect(await run(`export subscriber ada ${file} --environment Development`)).toMatchObject({
    code: 0,
    stdout: 'Exported the subscriber "ada".\n',
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const document = JSON.parse(await readFile(file, 'utf8'))
  expect(document).toMatchObject({ subscriber: ada, truncated: [] })
  expect(document.notifications).toHaveLength(1)
  expect(JSON.parse((await run('export subscriber ada --environment Development')).stdout).subscriber).toMatchObject(
    ada,
  )

  const erased = await run('erase subscriber ada --environment Development --also old@example.com --json')
  expect(erased).toMatchObject({ code: 0, json: { finishedAt: null } })
  expect((await client.ask('{ subscriber(subscriberId: "ada") { email } }')).subscriber).toBeNull()
  await world.work({ early: true })
  const { json } = await run('erase subscriber nobody --environment Development --json')
  expect(json.erasureId).not.toBe(erased.json.erasureId)
  const { nodes } = (await client.ask('{ events { nodes { payload } } }')).events
  expect(JSON.stringify(nodes)).not.toMatch(/ada@|old@/)
})

test('an erasure is waited for, and the wait can be interrupted', async () => {
  const waiting = run('erase subscriber grace --environment Development --wait --json')
  const finished = waiting.then(() => true)
  while (!(await Promise.race([finished, world.work({ early: true }).then(() => false)])));
  expect((await waiting).json).toEqual({ erasureId: expect.any(String), finishedAt: expect.stringMatching(/Z$/) })

  const interrupted = new AbortController()
  const line = 'erase subscriber alan --environment Development --wait'
  const stopped = run(line, { signal: interrupted.signal })
  interrupted.abort(new Error('interrupted'))
  expect(await stopped).toMatchObject({ code: 1, stderr: 'interrupted\n' })
})

test('the export of an unknown subscriber leaves no file', async () => {
  const folder = await temporaryFolder()
  const line = `export subscriber nobody ${path.join(folder, 'nobody.json')} --environment Development`
  expect(await run(line)).toMatchObject({ code: 1, stderr: 'Subscriber "nobody" not found\n' })
  expect(await readdir(folder)).toEqual([])
})
