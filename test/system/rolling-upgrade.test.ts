// A rolling upgrade: the last release serves while this version migrates the database, and then both run side by side.
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { administer, databaseUrl } from '../support/prepare.ts'
import { names, reaches, settingsOfAll } from '../support/delivery/durability.ts'
import {
  build,
  send,
  type Settings,
  started,
  temporaryFolder,
  until,
  withDatabase,
} from '../support/process/gateway-process.ts'
import { buildLastRelease, lastRelease } from '../support/process/last-release.ts'
import { onServer } from '../support/on-server.ts'

vi.setConfig({ testTimeout: 180_000 })

const key = settingsOfAll.BOOTSTRAP_API_KEY

/** Settings for an empty database without any schema. */
async function emptyDatabase(): Promise<Settings> {
  const directory = await temporaryFolder()
  const template = inject('template')
  if ('directory' in template) return { ...settingsOfAll, DATA_DIR: path.join(directory, 'data') }
  const { server } = template
  const name = `rolling_upgrade_${process.pid}_${Date.now()}`
  await administer(server, `CREATE DATABASE ${name}`)
  onTestFinished(() => administer(server, `DROP DATABASE ${name} WITH (FORCE)`))
  return { ...settingsOfAll, DATABASE_URL: databaseUrl(server, name), DATA_DIR: directory }
}

async function ask(address: string, query: string, variables: Record<string, unknown> = {}) {
  const { status, body } = await send(address, key, query, variables)
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined })
  return body.data
}

const createWorkflow = (address: string) =>
  ask(
    address,
    `mutation { createWorkflow(input: { identifier: "news", name: "News", steps: [
       { digest: { amount: 2, unit: SECONDS } }, { inApp: { body: "News of {{payload.at}}" } }
     ] }) { workflow { identifier } userErrors { message } } }`,
  )

const trigger = (address: string, transactionId: string) =>
  ask(
    address,
    `mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { event { transactionId } userErrors { message } } }`,
    {
      input: {
        name: 'news',
        transactionId,
        to: [{ subscriber: { subscriberId: transactionId } }],
        payload: { at: transactionId },
      },
    },
  )

const completedRuns = async (address: string): Promise<number> =>
  (await ask(address, '{ workflowRuns(filter: { status: COMPLETED }) { totalCount } }')).workflowRuns.totalCount

/** The subscribers of all completed runs, read page by page. */
async function served(address: string): Promise<string[]> {
  const found: string[] = []
  for (let after: string | null = null; ;) {
    const { workflowRuns } = await ask(
      address,
      `query ($after: String) { workflowRuns(first: 30, after: $after, filter: { status: COMPLETED }) {
         nodes { subscriber { subscriberId } } pageInfo { hasNextPage endCursor } } }`,
      { after },
    )
    found.push(
      ...workflowRuns.nodes.map((run: { subscriber: { subscriberId: string } }) => run.subscriber.subscriberId),
    )
    if (!workflowRuns.pageInfo.hasNextPage) return found.sort()
    after = workflowRuns.pageInfo.endCursor
  }
}

/** Expects one notification for each subscriber and no job. */
const expectNotified = (settings: Settings, subscriberIds: readonly string[]) =>
  withDatabase(settings, async ({ client }) => {
    const notified = await client.notification.findMany({ select: { subscriberId: true } })
    expect(notified.map(({ subscriberId }) => subscriberId).toSorted()).toEqual(subscriberIds.toSorted())
    expect(await client.job.count()).toBe(0)
  })

const history = lastRelease.missing === undefined
const reason = history ? '' : ` (${lastRelease.missing})`

describe.runIf(history)(`version ${lastRelease.version}${reason}`, () => {
  let last: Awaited<ReturnType<typeof buildLastRelease>>
  beforeAll(async () => {
    await build()
    last = await buildLastRelease()
  }, 300_000)
  afterAll(() => last.remove())

  test('leaves a database that this version continues, with its waiting runs', async () => {
    const settings = await emptyDatabase()
    const before = await started(settings, last.main)
    await createWorkflow(before.address)
    const recipients = names(20)
    for (const name of recipients) await trigger(before.address, name)
    expect(await before.gateway.kill('SIGTERM')).toBe(0)
    const after = await started(settings)
    expect(await reaches(() => completedRuns(after.address), recipients.length)).toBe(recipients.length)
    expect(await served(after.address)).toEqual(recipients.toSorted())
    expect(after.keys).toEqual([])
    expect(await after.gateway.kill('SIGTERM')).toBe(0)
    await expectNotified(settings, recipients)
  })

  describe.runIf(onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
    test('serves while this version migrates, and beside it, without an error or a lost message', async () => {
      const settings = await emptyDatabase()
      const before = await started(settings, last.main)
      await createWorkflow(before.address)
      const accepted: string[] = []
      const enough = new AbortController()
      const triggering = (async () => {
        while (!enough.signal.aborted) {
          const name = `early-${accepted.length}`
          await trigger(before.address, name)
          accepted.push(name)
        }
      })()
      await until(() => Promise.resolve(accepted.length > 10 || undefined))
      const after = await started(settings)
      const migrated = accepted.length
      await until(() => Promise.resolve(accepted.length > migrated + 10 || undefined))
      enough.abort()
      await triggering
      const late = names(40)
      await Promise.all(late.map((name, index) => trigger(index % 2 === 0 ? before.address : after.address, name)))
      const all = [...accepted, ...late]
      expect(await reaches(() => completedRuns(before.address), all.length)).toBe(all.length)
      for (const { address } of [before, after]) expect(await served(address)).toEqual(all.toSorted())
      for (const { gateway } of [before, after]) {
        expect(await gateway.kill('SIGTERM')).toBe(0)
        expect(gateway.output()).not.toMatch(/"level":50/)
      }
      await expectNotified(settings, all)
    })
  })
})
