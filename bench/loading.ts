// An operator's bulk load in one transaction, with and without an idle gateway. `npx tsx bench/loading.ts
// postgresql://... [--subscribers=100000] [--rounds=2]` measures temporary databases on that server. Each round loads
// two: one without a gateway, one beside it.
import { parseArgs } from 'node:util'
import pg from 'pg'
import { bootstrap } from '../src/domain/access/bootstrap.ts'
import { median } from './support/median.ts'
import { createDatabase } from './support/temporary-database.ts'
import { openUnlimitedGateway } from './support/unlimited-gateway.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({
  allowPositionals: true,
  options: {
    subscribers: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '2' },
  },
})
const SUBSCRIBERS = Number(options.subscribers)
const ROUNDS = Number(options.rounds)
const TOPICS = 1_000
/** Subscriptions of one subscriber. */
const EACH = 5

if (server === undefined)
  throw new Error('name a PostgreSQL server, such as postgresql://postgres@127.0.0.1:5432/postgres')

/** The load. The checks of foreign keys are planned with the existing statistics. */
const statements = (environmentId: string) => [
  'BEGIN',
  `INSERT INTO subscribers (environment_id, id, subscriber_id, first_name, last_name, email, data, created_at, updated_at)
   SELECT '${environmentId}', gen_random_uuid(), 'sub-' || n, 'First' || n, 'Last' || n % 5000,
          'user' || n || '@example.com', '{"plan":"pro"}', now(), now() FROM generate_series(1, ${SUBSCRIBERS}) AS n`,
  `INSERT INTO topics (environment_id, id, key, name, data, created_at, updated_at)
   SELECT '${environmentId}', gen_random_uuid(), 'topic-' || n, 'Topic ' || n, '{}', now(), now()
   FROM generate_series(1, ${TOPICS}) AS n`,
  `INSERT INTO topic_subscriptions (environment_id, id, identifier, topic_key, subscriber_id, context_keys, created_at, updated_at)
   SELECT '${environmentId}', gen_random_uuid(), 'ts-' || n, 'topic-' || 1 + (n::bigint * 7919 + n / ${SUBSCRIBERS}) % ${TOPICS},
          'sub-' || 1 + n % ${SUBSCRIBERS}, '{}', now(), now() FROM generate_series(1, ${EACH * SUBSCRIBERS}) AS n`,
  'COMMIT',
]

/** The seconds that statements take, one after the other, on one connection. */
async function timeOf(url: string, load: readonly string[]): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const start = performance.now()
    for (const statement of load) await client.query(statement)
    return (performance.now() - start) / 1000
  } finally {
    await client.end()
  }
}

/** The seconds of one load. */
async function load(purpose: string, besideGateway: boolean): Promise<number> {
  const database = await createDatabase(server ?? '', purpose)
  try {
    const gateway = await openUnlimitedGateway({ url: database.url })
    await bootstrap(gateway.shared)
    const { id } = await gateway.shared.db.environment.findFirstOrThrow({ where: { name: 'Development' } })
    if (!besideGateway) await gateway.close()
    const seconds = await timeOf(database.url, statements(id))
    if (besideGateway) await gateway.close()
    return seconds
  } finally {
    await database.remove()
  }
}

console.log(`${SUBSCRIBERS} subscribers, ${TOPICS} topics and ${EACH * SUBSCRIBERS} subscriptions in one transaction`)
const ratios: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const alone = await load('load_alone', false)
  const beside = await load('load_beside', true)
  ratios.push(beside / alone)
  console.log(`without a gateway ${alone.toFixed(1)} s, beside it ${beside.toFixed(1)} s`)
}
console.log(`beside a gateway, of without: ${median(ratios).toFixed(2)} (median of ${ROUNDS} rounds)`)
