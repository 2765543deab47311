// Environments on two PostgreSQL servers: what each server executes, and what happens while one of them is down. Needs
// the programs of a PostgreSQL server and, for root, the user postgres.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import { build, send, started, temporaryFolder, until } from '../support/process/gateway-process.ts'
import {
  createFolder,
  type PostgresServer,
  rowsOf,
  serverRefusal,
  startPrimary,
} from '../support/process/postgres-server.ts'
import { repeat } from '../support/process/repeated-requests.ts'

vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

const mainKey = 'key-of-the-main-database'

/** Starts a server that logs each statement. */
async function startLogged(): Promise<{ readonly server: PostgresServer; readonly log: () => readonly string[] }> {
  const folder = createFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const server = await startPrimary({
    configuration: `log_statement = 'all'
logging_collector = on
log_directory = '${folder}'
log_filename = 'statements.log'
log_line_prefix = '@ '
`,
  })
  const log = () => readFileSync(path.join(folder, 'statements.log'), 'utf8').split(/^@ LOG: {2}/m)
  return { server, log }
}

const createEnvironment = `mutation {
  createEnvironment(input: { name: "Europe", color: "#059669", database: "eu" }) {
    environment { database } newApiKey { key }
  }
}`

const createWorkflow = `mutation {
  createWorkflow(input: { identifier: "news", name: "News", steps: [{ inApp: { body: "News" } }] }) {
    userErrors { message }
  }
}`

/** A gateway on two servers, with an environment on the second one, whose key is `key`, and a workflow in each. */
async function startOn(main: PostgresServer, eu: PostgresServer) {
  const { gateway, address } = await started({
    DATABASE_URL: main.url,
    DATABASES: `eu=${eu.url}`,
    DATA_DIR: await temporaryFolder(),
    ENCRYPTION_KEYS: newKeyRing(),
    BOOTSTRAP_API_KEY: mainKey,
  })
  const created: { readonly data: { readonly createEnvironment: { readonly newApiKey: { readonly key: string } } } } = (
    await send(address, mainKey, createEnvironment)
  ).body
  const { key } = created.data.createEnvironment.newApiKey
  for (const one of [mainKey, key]) {
    expect((await send(address, one, createWorkflow)).body).toEqual({ data: { createWorkflow: { userErrors: [] } } })
  }
  /** A trigger over REST, on a connection of its own. */
  const trigger = async (apiKey: string, event: object = {}) => {
    const response = await fetch(`${address}/v1/events/trigger`, {
      method: 'POST',
      headers: { connection: 'close', authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'news', to: 'ada', ...event }),
    })
    await response.arrayBuffer()
    return response
  }
  return { gateway, address, key, trigger }
}

/** Waits until a server has no more jobs. */
const worked = ({ url }: PostgresServer) =>
  until(async () => ((await rowsOf(url, 'SELECT 1 FROM jobs LIMIT 1')).length === 0 ? true : undefined))

const where =
  serverRefusal === undefined
    ? 'environments on two servers'
    : `environments on two servers (impossible here: ${serverRefusal})`

describe.runIf(serverRefusal === undefined)(where, () => {
  test('a trigger, its delivery, a feed and a mark are statements on one server, and no commit has two phases', async () => {
    const [main, eu] = [await startLogged(), await startLogged()]
    const { address, key, trigger } = await startOn(main.server, eu.server)
    const [environment] = await rowsOf(eu.server.url, 'SELECT id FROM environments')
    const id = String(environment?.['id'])
    const use = async () => {
      expect((await trigger(key)).status).toBe(201)
      await worked(eu.server)
      const feed = '{ subscriber(subscriberId: "ada") { notifications { nodes { body } } } }'
      expect((await send(address, key, feed)).body).toMatchObject({
        data: { subscriber: { notifications: { nodes: expect.arrayContaining([{ body: 'News' }]) } } },
      })
      const mark = `mutation {
        markNotifications(input: { subscriberId: "ada", as: READ }) { userErrors { message } }
      }`
      expect((await send(address, key, mark)).body).toEqual({ data: { markNotifications: { userErrors: [] } } })
    }
    // The process finds the caller in the main database once.
    await use()
    const seen = main.log().length
    for (let time = 0; time < 3; time += 1) await use()

    const onMain = main
      .log()
      .slice(seen)
      .filter((statement) => statement.includes(id))
    // The shared rate limit, which no request waits for.
    expect(onMain.filter((statement) => !statement.includes('/* rate-limit-buckets.spendTokens */'))).toEqual([])
    const labels = new Set(eu.log().flatMap((statement) => /\/\* (\S+) \*\//.exec(statement)?.[1] ?? []))
    expect([...labels]).toEqual(expect.arrayContaining(['trigger.writeAccepted', 'notification-mark.markRows']))
    for (const { log } of [main, eu]) expect(log().filter((one) => one.includes('PREPARE TRANSACTION'))).toEqual([])
  })

  test('one that is killed fails only its own requests, and is used again when it is back, without a loss', async () => {
    const [main, eu] = [await startPrimary(), await startPrimary()]
    const { gateway, address, key, trigger } = await startOn(main, eu)
    const acknowledged: string[] = []
    let sent = 0
    const others = repeat(() => trigger(mainKey))
    const checks = repeat(() => fetch(`${address}/ready`, { headers: { connection: 'close' } }))
    const own = repeat(async () => {
      const transactionId = `event-${sent}`
      const response = await trigger(key, { transactionId })
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5')
      if (response.ok) {
        acknowledged.push(transactionId)
        sent += 1
      }
      return response
    })
    const reaches = (count: () => number, least: number) =>
      until(() => Promise.resolve(count() >= least ? true : undefined), 1)
    const refusals = () => own.statuses.get(503) ?? 0
    const answers = () => others.statuses.get(201) ?? 0

    for (let round = 0; round < 3; round += 1) {
      await reaches(() => acknowledged.length, acknowledged.length + 20)
      const [refused, answered] = [refusals(), answers()]
      await eu.crash()
      await reaches(refusals, refused + 5)
      await reaches(answers, answered + 20)
      await eu.start()
      const [start, before] = [performance.now(), acknowledged.length]
      await reaches(() => acknowledged.length, before + 1)
      console.log(`acknowledged ${Math.round(performance.now() - start)} ms after the server answered`)
    }
    for (const one of [others, checks, own]) await one.stop()

    expect([...others.statuses.keys()]).toEqual([201])
    expect([...checks.statuses.keys()]).toEqual([200])
    expect([...own.statuses.keys()].toSorted()).toEqual([201, 503])
    expect(gateway.output()).not.toMatch(/"level":[56]0/)
    await worked(eu)
    const events = await rowsOf(
      eu.url,
      `SELECT transaction_id AS id, (SELECT count(*)::int FROM notifications WHERE event_id = events.id) AS entries
         FROM events ORDER BY created_at, id`,
    )
    expect(events.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted())
    expect(events.filter(({ entries }) => entries !== 1)).toEqual([])
  })
})
