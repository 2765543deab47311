// Several processes on one PostgreSQL server: triggers accepted and delivered by one, two and four of them.
// `npx tsx bench/processes.ts postgresql://...` starts the built gateway (`npm run build`) on a temporary database. It
// ends with 1 if a message was lost or delivered twice.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Pool } from 'undici'
import { type GatewayProcess, startGateway } from './support/gateway-process.ts'
import { load } from './support/load.ts'
import { postTo } from './support/post.ts'
import { createDatabase } from './support/temporary-database.ts'

const PROCESSES = [1, 2, 4]
/** Milliseconds during which triggers are sent, and of the warm-up before: a new process is several times slower. */
const LOAD = 6_000
const WARM_UP = 10_000
/** Concurrent requests to each process. Triggers that arrive together are written together. */
const CONNECTIONS = 16
const SUBSCRIBERS = 500

const [server] = process.argv.slice(2)
if (server === undefined) throw new Error('name a PostgreSQL server: npx tsx bench/processes.ts postgresql://...')

const { url, remove } = await createDatabase(server, 'processes')
const database = new pg.Pool({ connectionString: url })
const processes: GatewayProcess[] = []

const countOf = async (table: 'events' | 'notifications' | 'jobs') => {
  const { rows } = await database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)
  return rows[0]?.count ?? NaN
}

async function delivered(): Promise<void> {
  while ((await countOf('jobs')) > 0) await pause(20)
}

/**
 * Sends triggers to all processes. @returns the number of accepted ones, and the milliseconds until the last response.
 */
async function trigger(key: string, milliseconds: number) {
  const headers = { 'content-type': 'application/json', authorization: `ApiKey ${key}` }
  let count = 0
  const next = () => ({
    method: 'POST' as const,
    path: '/v1/events/trigger',
    body: JSON.stringify({ name: 'news', to: `subscriber-${(count += 1) % SUBSCRIBERS}` }),
  })
  const results = await Promise.all(
    processes.map(async ({ address }) => {
      const pool = new Pool(address, { connections: CONNECTIONS })
      return load(pool, { connections: CONNECTIONS, milliseconds, headers, next }).finally(() => pool.close())
    }),
  )
  return {
    accepted: results.reduce((sum, { responses }) => sum + responses, 0),
    elapsed: Math.max(...results.map(({ elapsed }) => elapsed)),
  }
}

async function furnish(first: GatewayProcess): Promise<string> {
  const post = postTo(first)
  await post('/v2/workflows', { identifier: 'news', name: 'News', steps: [{ type: 'in_app', body: 'Hello' }] })
  const subscribers = Array.from({ length: SUBSCRIBERS }, (_, index) => ({ subscriberId: `subscriber-${index}` }))
  await post('/v1/subscribers/bulk', { subscribers })
  return first.keys[0] ?? ''
}

async function measure(): Promise<void> {
  let key: string | undefined
  console.log('processes   accepted/s   delivered/s   messages per trigger')
  for (const number of PROCESSES) {
    while (processes.length < number) processes.push(await startGateway({ DATABASE_URL: url, RATE_LIMIT: 'off' }))
    const [first] = processes
    if (first === undefined) return
    key ??= await furnish(first)
    await trigger(key, WARM_UP)
    await delivered()
    const [events, messages] = [await countOf('events'), await countOf('notifications')]
    const start = performance.now()
    const { accepted, elapsed } = await trigger(key, LOAD)
    await delivered()
    const seconds = (performance.now() - start) / 1000
    const sent = (await countOf('notifications')) - messages
    console.log(
      [
        String(number).padStart(9),
        ((accepted * 1000) / elapsed).toFixed(0).padStart(13),
        (sent / seconds).toFixed(0).padStart(14),
        (sent / accepted).toFixed(3).padStart(23),
      ].join(''),
    )
    if (sent !== accepted || (await countOf('events')) - events !== accepted) process.exitCode = 1
  }
}

try {
  await measure()
} finally {
  for (const { child } of processes) child.kill()
  await database.end()
  await remove()
}
