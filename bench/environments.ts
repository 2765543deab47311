// Many environments: what an idle process, a look for jobs, a sweep and the list of keys cost with 1,000 environments, and
// a start, a sign-in and the metrics with 100,000, as ratios to ten.
// `npx tsx bench/environments.ts postgresql://...` measures temporary databases on that server.
import { pino } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'
import { createSignInLink } from '../src/cli/output/sign-in-link.ts'
import { lookForJobs } from '../src/data/queue/job-taking.ts'
import { organizationApiKeys } from '../src/domain/access/api-key.ts'
import { bootstrap } from '../src/domain/access/bootstrap.ts'
import { operators } from '../src/domain/access/operator.ts'
import { createScope } from '../src/domain/resolver/create-scope.ts'
import { createHousekeeping } from '../src/engine/housekeeping/housekeeping.ts'
import type { OpenGateway } from '../src/gateway.ts'
import { newKeyRing } from '../src/lib/cipher.ts'
import { median } from './support/median.ts'
import { createDatabase } from './support/temporary-database.ts'
import { openUnlimitedGateway } from './support/unlimited-gateway.ts'

const ROUNDS = 11
/** Milliseconds for which an idle process is measured. */
const IDLE = 20_000
const WITH_JOBS = [10, 1_000, 10_000] as const
const FEW = 10
const MANY = 100_000

const [server] = process.argv.slice(2)
if (server === undefined) throw new Error('usage: npx tsx bench/environments.ts postgresql://...')

const keyRing = newKeyRing()

/** Adds environments with an API key each, up to a number. */
async function fillTo({ database }: OpenGateway, count: number): Promise<void> {
  await database.pool.query(
    `WITH made AS (
       INSERT INTO environments (id, organization_id, identifier, name, slug, type, color, created_at, updated_at)
       SELECT given.id, owner.id, given.id::text, given.id::text, given.id::text, 'prod', '#000000', now(), now()
       FROM (SELECT id FROM organizations LIMIT 1) AS owner,
            (SELECT gen_random_uuid() AS id
             FROM generate_series(1, $1::int - (SELECT count(*)::int FROM environments))) AS given
       RETURNING id, organization_id
     )
     INSERT INTO api_keys (environment_id, id, user_id, name, access, hash, cipher, hint, created_at, updated_at)
     SELECT made.id, gen_random_uuid(), users.id, 'Key', 'full', made.id::text, '', 'abcd', now(), now()
     FROM made JOIN users USING (organization_id)`,
    [count],
  )
  await database.pool.query('VACUUM ANALYZE')
}

/** Adds a job of tomorrow to each environment that has none. */
async function addJobs({ database }: OpenGateway): Promise<void> {
  await database.pool.query(
    `INSERT INTO jobs (environment_id, id, queue, data, due_at, available_at, created_at)
     SELECT id, gen_random_uuid(), 'advance', '{}', now() + interval '1 day', now() + interval '1 day', now()
     FROM environments WHERE NOT EXISTS (SELECT FROM jobs WHERE environment_id = environments.id)`,
  )
  await database.pool.query('VACUUM ANALYZE jobs')
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function medianOf(work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = []
  while (times.length < rounds) times.push(await millisecondsOf(work))
  return median(times)
}

/** @returns milliseconds of CPU time of this process, without PostgreSQL. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

async function sweep({ shared, database }: OpenGateway): Promise<void> {
  const housekeeping = createHousekeeping({
    gateway: shared,
    logger: pino({ level: 'warn' }),
    retention: { events: undefined, feed: undefined },
    embedded: false,
    stopwatch: () => performance.now(),
  })
  await database.pool.query('DELETE FROM sweeps')
  if (!(await housekeeping.perform('retention'))) throw new Error('the sweep was not performed')
}

async function listKeys({ shared }: OpenGateway): Promise<void> {
  for (const operator of await operators(shared.db)) await organizationApiKeys(createScope(shared, operator), {})
}

async function signIn({ shared, app }: OpenGateway): Promise<void> {
  const [operator] = await operators(shared.db)
  if (operator === undefined) throw new Error('there is no environment')
  const { url } = await createSignInLink(shared, operator, { address: 'http://gateway.bench', access: 'full' })
  const query = `mutation ($code: String!) {
    openDashboardSession(input: { code: $code }) { token userErrors { message } }
  }`
  const body = JSON.stringify({ query, variables: { code: url.slice(url.indexOf('code=') + 5) } })
  const headers = { 'content-type': 'application/json' }
  const response = await app.fetch(new Request('http://gateway.bench/graphql', { method: 'POST', headers, body }))
  const text = await response.text()
  if (!text.includes('"token":"')) throw new Error(text)
}

const ms = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`

async function withJobs(gateway: OpenGateway, count: number): Promise<void> {
  await fillTo(gateway, count)
  await addJobs(gateway)
  const { db, now } = gateway.shared
  console.log(`${count} environments with future jobs`)
  console.log(`  look for jobs         ${ms(await medianOf(() => lookForJobs(db, now())))}`)
  console.log(`  list of all keys      ${ms(await medianOf(() => listKeys(gateway)))}`)
  const times: number[] = []
  const cpu = await cpuOf(async () => times.push(await millisecondsOf(() => sweep(gateway))))
  console.log(`  sweep                 ${ms(times[0] ?? NaN)}, ${ms(cpu)} of CPU`)
}

/** The work of a process without requests. */
async function idle(gateway: OpenGateway): Promise<void> {
  await gateway.start()
  // What a start does once is left out.
  await pause(IDLE / 4)
  const cpu = await cpuOf(() => pause(IDLE))
  console.log(`  idle process          ${((cpu / IDLE) * 100).toFixed(1)} % of a core`)
}

interface Costs {
  readonly start: number
  readonly signIn: number
  readonly metrics: number
}

async function costsOf(url: string): Promise<Costs> {
  const start = await medianOf(async () => (await openUnlimitedGateway({ url }, keyRing)).close())
  const gateway = await openUnlimitedGateway({ url }, keyRing)
  try {
    await signIn(gateway)
    return {
      start,
      signIn: await medianOf(() => signIn(gateway)),
      metrics: await medianOf(() => gateway.metrics.print()),
    }
  } finally {
    await gateway.close()
  }
}

/** Runs `work` with a new database that has the first environments. */
async function onDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const database = await createDatabase(server ?? '', 'bench_environments')
  try {
    const gateway = await openUnlimitedGateway({ url: database.url }, keyRing)
    await bootstrap(gateway.shared, 'key-of-the-environments-benchmark')
    await gateway.close()
    await work(database.url)
  } finally {
    await database.remove()
  }
}

async function onGateway(url: string, work: (gateway: OpenGateway) => Promise<void>): Promise<void> {
  const gateway = await openUnlimitedGateway({ url }, keyRing)
  try {
    await work(gateway)
  } finally {
    await gateway.close()
  }
}

await onDatabase(async (url) => {
  for (const count of WITH_JOBS) {
    await onGateway(url, (gateway) => withJobs(gateway, count))
    if (count === 1_000) await onGateway(url, idle)
  }
})

await onDatabase(async (url) => {
  await onGateway(url, (gateway) => fillTo(gateway, FEW))
  const few = await costsOf(url)
  await onGateway(url, (gateway) => fillTo(gateway, MANY))
  const many = await costsOf(url)
  console.log(`${MANY} environments, of ${FEW}`)
  for (const name of ['start', 'signIn', 'metrics'] as const) {
    console.log(`  ${name.padEnd(21)} ${(many[name] / few[name]).toFixed(2)} (${ms(few[name])}, ${ms(many[name])})`)
  }
})
