// export subscriber and erase subscriber: all data about a person, and its removal.
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandLineOf } from '../support/command-line.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
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
  await client.act('triggerEvent', {
    workflowIdentifier: 'welcome',
    to: [{ subscriber: { subscriberId: 'ada' } }],
    payload,
  })
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
  const line = 'erase subscriber nobody --also ada@example.com --environment Development --json'
  expect((await run(line)).json.erasureId).not.toBe(erased.json.erasureId)
  const { nodes } = (await client.ask('{ events { nodes { payload } } }')).events
  expect(JSON.stringify(nodes)).not.toMatch(/ada@|old@/)
})

test('an unknown subscriber is named in the error, and a deleted subscriber can be erased', async () => {
  const line = 'erase subscriber nobody --environment Development'
  expect(await run(line)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('"nobody" not found') })
  const client = await triggered()
  await client.act('deleteSubscriber', { subscriberId: 'ada' })
  expect(await run(`${line.replace('nobody', 'ada')} --and nobody`)).toMatchObject({ code: 1, stdout: '' })
  expect(await run(line.replace('nobody', 'ada'))).toMatchObject({ code: 0, stderr: '' })
  await world.work({ early: true })
})

test('several persons are erased together', async () => {
  for (const subscriberId of ['joan', 'alan']) await world.development.act('createSubscriber', { subscriberId })
  expect(await run('erase subscriber joan --environment Development --and alan')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Deleted the subscribers "joan", "alan"\. A running gateway erases the rest/),
  })
  await world.work({ early: true })
})

test('the command stops waiting when no gateway works on the erasure', async () => {
  await world.development.act('createSubscriber', { subscriberId: 'linus' })
  const waiting = run('erase subscriber linus --environment Development --wait')
  const ended = waiting.then(() => true)
  for (
    let minutes = 2;
    !(await Promise.race([ended, world.database.pool.query('SELECT').then(() => false)]));
    minutes += 2
  ) {
    world.setClock(new Date(Date.now() + minutes * 60_000))
  }
  world.setClock(undefined)
  expect(await waiting).toMatchObject({ code: 1, stderr: expect.stringContaining('start a gateway on this database') })
  await world.work({ early: true })
})

test('the command waits for the erasure and can be interrupted', async () => {
  for (const subscriberId of ['grace', 'alan']) await world.development.act('createSubscriber', { subscriberId })
  const waiting = run('erase subscriber grace --environment Development --wait --json')
  const finished = waiting.then(() => true)
  while (!(await Promise.race([finished, world.work({ early: true }).then(() => false)])));
  expect((await waiting).json).toEqual({
    erasureId: expect.any(String),
    finishedAt: expect.stringMatching(/Z$/),
    mentionCount: 0,
    mentions: [],
  })

  const interrupted = new AbortController()
  const line = 'erase subscriber alan --environment Development --wait'
  const stopped = run(line, { signal: interrupted.signal })
  interrupted.abort(new Error('interrupted'))
  expect(await stopped).toMatchObject({ code: 130, stderr: 'interrupted\n' })
})

test('the command lists objects of others that name the person after the wait', async () => {
  const client = world.development
  for (const subscriberId of ['person-1', 'mary']) await client.act('createSubscriber', { subscriberId })
  await client.act('createTopic', { key: 'owners', data: { owner: 'person-1' } })
  await client.act('updateSubscriber', { subscriberId: 'mary', data: { deputy: 'person-1' } })
  const waiting = run('erase subscriber person-1 --environment Development --wait')
  const finished = waiting.then(() => true)
  while (!(await Promise.race([finished, world.work({ early: true }).then(() => false)])));
  expect(await waiting).toMatchObject({
    code: 0,
    stdout: [
      'Erased the subscriber "person-1".',
      '2 objects of others still name the person. Correct or delete them by hand:',
      '  topic owners',
      '  subscriber mary',
      '',
    ].join('\n'),
  })
})

test('the export of an unknown subscriber leaves no file', async () => {
  const folder = await temporaryFolder()
  const line = `export subscriber nobody ${path.join(folder, 'nobody.json')} --environment Development`
  expect(await run(line)).toMatchObject({ code: 1, stderr: 'Subscriber "nobody" not found\n' })
  expect(await readdir(folder)).toEqual([])
})
