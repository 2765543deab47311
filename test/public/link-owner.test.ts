// Whose preferences a link changes: those of its own environment, with every key of the ring, once however often it is
// posted, and for all processes at once, whether or not their workers run.
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { sealLink } from '../../src/domain/channel/link-token.ts'
import { openGateway } from '../../src/gateway.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { readMail, smtp } from '../support/delivery/smtp.ts'
import { createWorkflow, done, storyOf, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const start = Date.now()
let seconds = 0
/** Each request happens a second after the one before, so that the limit of a token allows it. */
const clock = { now: () => new Date(start + (seconds += 1) * 1_000), measure: <Read>(read: () => Read) => read() }
const keyRing = newKeyRing('old')
const world = useWorld({ baseUrl: 'https://gateway.example', keyRing, clock })
let acme: Client
let globex: Client

/** An environment in which Ada receives an email. @returns the URL in its header. */
async function receiveLink(client: Client): Promise<string> {
  const { received, credentials } = await smtp()
  await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await done(client, 'createIntegration', { identifier: 'smtp', providerId: 'NODEMAILER', credentials })
  await createWorkflow(client, [{ email: { stepId: 'mail', subject: 'Order', body: 'Shipped' } }])
  await trigger(client)
  await world.work()
  const [mail] = received
  if (mail === undefined) throw new Error('no mail has arrived')
  const [, link = ''] = /<(https:[^>]+)>/.exec(readMail(mail).headers.get('list-unsubscribe') ?? '') ?? []
  return link
}

beforeEach(async () => {
  acme = await world.environment()
  globex = await world.environment()
})

const oneClick = async (url: string, app: App = world.app) => {
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  return app.fetch(new Request(url, { method: 'POST', body }))
}

/** The status of the next email to Ada. */
async function nextStatus(client: Client) {
  const id = await trigger(client)
  await world.work()
  const { ada } = await storyOf(client, id)
  return ada?.steps[0]?.status
}

async function changes(client: Client) {
  const { subscriber } = await client.ask(
    '{ subscriber(subscriberId: "ada") { preferenceChanges { nodes { scope channel enabled source } } } }',
  )
  return subscriber.preferenceChanges.nodes
}

/** What a link about Ada and the workflow of an environment names. */
async function idsIn(client: Client) {
  const { environment, subscriber, workflow } = await client.ask(
    '{ environment { id } subscriber(subscriberId: "ada") { id } workflow(identifier: "order") { id } }',
  )
  return {
    environmentId: decodeNodeId(environment.id).id,
    subscriberRowId: decodeNodeId(subscriber.id).id,
    workflowId: decodeNodeId(workflow.id).id,
  }
}

/** The URL of a link that a gateway with these keys creates. */
function linkOf({ workflowId, ...ids }: Awaited<ReturnType<typeof idsIn>>, cipher: Cipher = world.gateway.cipher) {
  const scope = { kind: 'workflow', workflowId } as const
  const link = { ...ids, scope, contexts: { keys: [] }, channel: 'email', deliveryId: null } as const
  return `https://gateway.example/u/${sealLink(cipher, link)}`
}

/** A process with another key ring, on the database of the world. */
async function openAnother(ring: string) {
  const gateway = await openGateway({
    location: { directory: 'the database of the world' },
    openDatabase: async () => ({ ...world.database, close: async () => {} }),
    openCipher: () => new Cipher(ring),
    logger: pino({ level: 'silent' }),
    outbound: { allowPrivateAddresses: true },
    baseUrl: 'https://gateway.example',
    ...{ rates: 'off', corsOrigins: [], trustedProxies: 0, clock, singleProcess: true },
    ...{ introspection: true, graphiql: false, dashboard: false },
  })
  onTestFinished(() => gateway.close())
  return gateway
}

describe('A link of another environment', () => {
  test('unsubscribes there only, although person and workflow have the same names', async () => {
    await receiveLink(acme)
    const url = await receiveLink(globex)
    expect((await oneClick(url)).status).toBe(200)
    expect([await nextStatus(acme), await nextStatus(globex)]).toEqual(['SENT', 'SKIPPED'])
    expect(await changes(acme)).toEqual([])
  })

  test('changes nothing if it names a person or a workflow of this environment', async () => {
    await receiveLink(acme)
    await receiveLink(globex)
    const [ours, theirs] = [await idsIn(acme), await idsIn(globex)]
    for (const mixed of [
      { ...theirs, subscriberRowId: ours.subscriberRowId },
      { ...theirs, workflowId: ours.workflowId },
      { ...theirs, environmentId: ours.environmentId },
      { ...ours, workflowId: theirs.workflowId },
    ]) {
      await oneClick(linkOf(mixed))
    }
    expect([await changes(acme), await changes(globex)]).toEqual([[], []])
  })

  test('of another gateway is not found, although it names a person of this one', async () => {
    await receiveLink(acme)
    const ids = await idsIn(acme)
    expect((await oneClick(linkOf(ids, new Cipher(newKeyRing('old'))))).status).toBe(404)
    expect((await oneClick(linkOf(ids, new Cipher(newKeyRing('other'))))).status).toBe(404)
    expect(await changes(acme)).toEqual([])
    expect((await oneClick(linkOf(ids))).status).toBe(200)
    expect(await changes(acme)).toHaveLength(1)
  })
})

test('500 identical posts at the same time make one record', { timeout: 60_000 }, async () => {
  const url = await receiveLink(acme)
  const answers = await Promise.all(Array.from({ length: 500 }, () => oneClick(url)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await changes(acme)).toEqual([{ scope: 'WORKFLOW', channel: 'EMAIL', enabled: false, source: 'ONE_CLICK' }])
})

test('A link still unsubscribes after the encryption key was rotated', async () => {
  const url = await receiveLink(acme)
  const rotated = await openAnother(`${newKeyRing('new')},${keyRing}`)
  expect((await oneClick(url, rotated.app)).status).toBe(200)
  expect(await nextStatus(acme)).toBe('SKIPPED')
})

test('A link still unsubscribes ten years later', async () => {
  const url = await receiveLink(acme)
  seconds += 10 * 365 * 86_400
  expect((await oneClick(url)).status).toBe(200)
  expect(await changes(acme)).toHaveLength(1)
})

test('A click skips the next email of every process, although each has just sent one', async () => {
  const url = await receiveLink(acme)
  const other = await openAnother(keyRing)
  const statusThere = async () => {
    const id = await trigger(acme)
    await other.worker.drain()
    const { ada } = await storyOf(acme, id)
    return ada?.steps[0]
  }
  expect(await statusThere()).toMatchObject({ status: 'SENT' })
  await oneClick(url)
  expect(await statusThere()).toMatchObject({ status: 'SKIPPED', reason: 'subscriber_workflow_preference' })
  // And back, in the other direction.
  const body = new URLSearchParams({ undo: 'yes' })
  expect((await other.app.fetch(new Request(url, { method: 'POST', body }))).status).toBe(200)
  expect(await nextStatus(acme)).toBe('SENT')
})

test('A click is recorded while the worker is stopped, and emails that wait for it are skipped later', async () => {
  const url = await receiveLink(acme)
  // From here on no worker runs.
  const waiting = await trigger(acme)
  expect((await oneClick(url)).status).toBe(200)
  expect(await changes(acme)).toEqual([{ scope: 'WORKFLOW', channel: 'EMAIL', enabled: false, source: 'ONE_CLICK' }])
  const page = await world.app.fetch(new Request(url))
  expect(await page.text()).toContain('You are unsubscribed')
  await world.work()
  const { ada } = await storyOf(acme, waiting)
  expect(ada?.steps).toMatchObject([{ status: 'SKIPPED', reason: 'subscriber_workflow_preference' }])
})
