// The cost of requests with a million subscribers and a topic of a hundred thousand: the plans of their statements.
// `npx tsx bench/scale.ts postgresql://... [--subscribers=1000000]` migrates and fills the given database, which takes
// some minutes and which no other process may use. A second run uses the rows of the first. It prints each statement
// with the pages that it reads and its time.
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { graphql, post } from './read/cases.ts'
import { ENVIRONMENT, openBenchGateway } from './read/prepare.ts'
import { newKeyRing } from '../src/lib/cipher.ts'
import { newId } from '../src/lib/new-id.ts'
import type { LoadRequest } from './support/load.ts'
import { recordStatements, type Statement } from './support/statements.ts'

const {
  values: { subscribers: size },
  positionals: [url],
} = parseArgs({ allowPositionals: true, options: { subscribers: { type: 'string', default: '1000000' } } })
if (url === undefined) throw new Error('usage: npx tsx bench/scale.ts postgresql://... [--subscribers=1000000]')
const subscribers = Number(size)
/** One in this many subscribers is in the topic. */
const SHARE = 10

const filling = [
  `INSERT INTO subscribers
    (environment_id, id, subscriber_id, first_name, last_name, email, phone, locale, timezone, data, created_at, updated_at)
    SELECT $1, ('00000004-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'sub-' || n, 'First' || n, 'Last' || n % 5000,
      'user' || n || '@example.com', '+1555' || lpad(n::text, 7, '0'), 'en_US', 'UTC', '{"plan": "pro"}', time, time
    FROM generate_series(1, ${subscribers}) AS n, LATERAL (SELECT timestamptz '2024-01-01Z' + n * interval '7 seconds') AS at (time)`,
  `INSERT INTO topics (environment_id, id, key, name, data, created_at, updated_at)
    VALUES ($1, '00000003-0000-7000-8000-000000000001', 'all', 'All', '{}', now(), now())`,
  `INSERT INTO topic_subscriptions
    (environment_id, id, identifier, topic_key, subscriber_id, context_keys, created_at, updated_at)
    SELECT $1, ('00000005-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'subscription-' || n, 'all',
      'sub-' || n * ${SHARE}, '{}', time, time
    FROM generate_series(1, ${subscribers / SHARE}) AS n, LATERAL (SELECT timestamptz '2024-01-01Z' + n * interval '3 seconds') AS at (time)`,
  'VACUUM ANALYZE',
]

const subscribersWhere = (filter: string) =>
  graphql(`{ subscribers(first: 20, filter: { ${filter} }) { nodes { id subscriberId email } } }`)

/** A page of the topic's subscriptions. */
const topicPage = (fields: string) => graphql(`{ topic(key: "all") { subscriptions(first: 20) { ${fields} } } }`)

const requests = (cursor: string): Readonly<Record<string, LoadRequest>> => ({
  'first page': graphql('{ subscribers(first: 20) { nodes { id subscriberId email } } }'),
  'page after 900,000': graphql(
    'query ($after: String) { subscribers(first: 20, after: $after) { nodes { id email } } }',
    {
      after: cursor,
    },
  ),
  'exact email': subscribersWhere('email: "user777777@example.com"'),
  'search, rare word': subscribersWhere('search: "user777777"'),
  'search, common word': subscribersWhere('search: "example"'),
  'search, no match': subscribersWhere('search: "zqx"'),
  'search, two letters': subscribersWhere('search: "zq"'),
  'count of subscribers': graphql('{ subscribers(first: 0) { totalCount } }'),
  'topic, first page': topicPage('nodes { id contextKeys }'),
  'topic, count': topicPage('totalCount'),
})

/** One line of `EXPLAIN (FORMAT JSON)`. */
interface Explained {
  readonly 'QUERY PLAN': readonly {
    readonly 'Execution Time': number
    readonly Plan: Readonly<Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>>
  }[]
}

const gateway = await openBenchGateway({ url }, newKeyRing())
const { pool, client } = gateway.database

/** Authentication is part of every request and reads two rows. */
const AUTHENTICATION = /FROM \S*\b(api_keys|environments)\b/

/** Prints the plans of read-only statements. */
async function explain(title: string, statements: readonly Statement[]): Promise<void> {
  const reads = statements.filter(({ text }) => /^\s*(SELECT|WITH)\b/.test(text) && !AUTHENTICATION.test(text))
  for (const { text, values } of reads) {
    const { rows } = await pool.query<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
    const [explained] = rows[0]?.['QUERY PLAN'] ?? []
    if (explained === undefined) throw new Error(`no plan of ${text}`)
    const blocks = explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks']
    const time = explained['Execution Time'].toFixed(2)
    console.log([title.padEnd(22), `${blocks} pages`.padStart(14), `${time} ms`.padStart(12)].join(' '))
  }
}

try {
  const { id: environmentId } = await client.environment.findFirstOrThrow({ where: { name: ENVIRONMENT } })
  if ((await client.topic.count({ where: { environmentId } })) === 0) {
    const filler = await pool.connect()
    // Longer than any statement of the gateway.
    await filler.query('SET statement_timeout = 0')
    for (const sql of filling) await filler.query(sql, sql.includes('$1') ? [environmentId] : [])
    filler.release(true)
  }
  const name = `sub-${Math.floor(subscribers / 10)}`
  const found = await gateway.ask(graphql(`{ subscribers(filter: { subscriberId: "${name}" }) { edges { cursor } } }`))
  const [, cursor = ''] = /"cursor":"([^"]+)"/.exec(found) ?? []
  const recorded = recordStatements()
  for (const [title, request] of Object.entries(requests(cursor))) {
    await gateway.ask(request)
    recorded.take()
    await gateway.ask(request)
    await explain(title, recorded.take())
  }

  // A second run needs a different value.
  const workflow = `news-${newId()}`
  await gateway.ask(
    post('/v2/workflows', { identifier: workflow, name: 'News', steps: [{ type: 'in_app', body: 'Hello' }] }),
  )
  await gateway.ask(
    post('/v1/events/trigger', { name: workflow, to: { type: 'Topic', topicKey: 'all' }, transactionId: newId() }),
  )
  recorded.take()
  await gateway.worker.start()
  const reads: Statement[] = []
  while (reads.length === 0) {
    await pause(50)
    reads.push(...recorded.take().filter(({ text }) => text.includes('topic_subscriptions')))
  }
  await gateway.worker.stop()
  await explain('fan-out, one page', reads.slice(0, 1))
} finally {
  await client.event.deleteMany({})
  await gateway.close()
}
