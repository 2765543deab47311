// The database of the read benchmark, and the statements per request.
import type { DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { bootstrap } from '../../src/domain/access/bootstrap.ts'
import type { LoadRequest } from '../support/load.ts'
import { median } from '../support/median.ts'
import { recordStatements } from '../support/statements.ts'
import { openUnlimitedGateway } from '../support/unlimited-gateway.ts'
import { type CaseName, casesOf, cursorRequest, type Scale } from './cases.ts'

/** The environment of the API key, which the first start creates. */
export const ENVIRONMENT = 'Development'
export const API_KEY = 'key-of-the-read-benchmark'

/** The number of warm-up requests before statements are counted, and of counted requests, for each case. */
const WARM = 5
const COUNTED = 9

/** A UUID from a kind of object and a number. UUIDs ascend like those that the gateway generates. */
const uuid = (kind: number, number: string) =>
  `('0000000${kind}-0000-7000-8000-' || lpad((${number})::text, 12, '0'))::uuid`

/** Creation times of a list, `seconds` apart. */
const times = (number: string, seconds: number) => {
  const time = `timestamptz '2024-01-01 00:00Z' + ${number} * interval '${seconds} seconds'`
  return `${time}, ${time}`
}

/** Context keys of a subscription or an endpoint: none, one of many, two, or the one by which the benchmark filters. */
const contextKeys = (number: string) => `CASE ${number} % 4
    WHEN 0 THEN '{}'::text[] WHEN 1 THEN ARRAY['tenant:t' || ${number} % 200 + 2]
    WHEN 2 THEN ARRAY['region:r' || ${number} % 10, 'tenant:t' || ${number} % 200 + 2] ELSE ARRAY['tenant:t1'] END`

/**
 * The statements that fill an environment, `$1`. Each subscriber has 5 topic subscriptions and 2 endpoints. The first 5
 * % of the subscribers have 60 subscriptions.
 */
const fillings = ({ subscribers }: Scale): readonly string[] => [
  `INSERT INTO contexts (environment_id, id, type, identifier, key, data, created_at, updated_at)
    SELECT $1, ${uuid(1, 'n')}, type, name, type || ':' || name, '{}', ${times('n', 1)}
    FROM (SELECT n, 'tenant' AS type, 't' || n AS name FROM generate_series(1, 201) AS n
      UNION ALL SELECT 1000 + n, 'region', 'r' || n FROM generate_series(0, 9) AS n) AS context`,
  `INSERT INTO integrations
    (environment_id, id, identifier, name, provider_id, channel, active, created_at, updated_at)
    VALUES ($1, ${uuid(2, '1')}, 'chat', 'Chat', 'slack', 'chat', true, ${times('1', 1)})`,
  `INSERT INTO topics (environment_id, id, key, name, data, created_at, updated_at)
    SELECT $1, ${uuid(3, 'n')}, 'topic-' || n, 'Topic ' || n, '{}', ${times('n', 60)} FROM generate_series(1, 1000) AS n`,
  `INSERT INTO subscribers
    (environment_id, id, subscriber_id, first_name, last_name, email, phone, locale, timezone, data, created_at, updated_at)
    SELECT $1, ${uuid(4, 'n')}, 'sub-' || n, 'First' || n, 'Last' || n % 5000, 'user' || n || '@example.com',
      '+1555' || lpad(n::text, 7, '0'), 'en_US', 'UTC',
      jsonb_build_object('plan', 'pro', 'seats', n % 100, 'tags', jsonb_build_array('a', 'b', 't' || n % 20)), ${times('n', 7)}
    FROM generate_series(1, ${subscribers}) AS n`,
  `INSERT INTO topic_subscriptions
    (environment_id, id, identifier, topic_key, subscriber_id, context_keys, created_at, updated_at)
    SELECT $1, ${uuid(5, 'n')}, 'subscription-' || n, 'topic-' || 1 + (n::bigint * 7919 + n / 5000) % 1000,
      'sub-' || CASE WHEN n <= ${subscribers * 3} THEN 1 + n % ${Math.floor(subscribers / 20)} ELSE 1 + n % ${subscribers} END,
      ${contextKeys('n')}, ${times('n', 3)}
    FROM generate_series(1, ${subscribers * 5}) AS n`,
  `INSERT INTO channel_endpoints
    (environment_id, id, identifier, channel, provider_id, integration_identifier, subscriber_id, context_keys, type, endpoint,
      created_at, updated_at)
    SELECT $1, ${uuid(6, 'n')}, 'endpoint-' || n, 'chat', 'slack', 'chat', 'sub-' || 1 + n % ${subscribers}, ${contextKeys('n')},
      (ARRAY['workspace_chat_channel', 'workspace_chat_user', 'phone', 'office_chat_channel'])[1 + n % 4]::"EndpointType",
      CASE n % 4 WHEN 0 THEN jsonb_build_object('channelId', 'C' || n) WHEN 1 THEN jsonb_build_object('userId', 'U' || n)
        WHEN 2 THEN jsonb_build_object('phoneNumber', '+1555' || lpad(n::text, 7, '0'))
        ELSE jsonb_build_object('teamId', 'T' || n, 'channelId', 'C' || n) END, ${times('n', 2)}
    FROM generate_series(1, ${subscribers * 2}) AS n`,
  'VACUUM ANALYZE',
]

export interface Prepared {
  /** The cursor that `deep` starts after. */
  readonly cursor: string
  /** The statements of one request. */
  readonly statements: ReadonlyMap<CaseName, number>
}

/**
 * A gateway in this process without its background work, so that only requests send statements. An empty database gets
 * the environment of the benchmark.
 */
export async function openBenchGateway(location: DatabaseLocation, keyRing: string) {
  const gateway = await openUnlimitedGateway(location, keyRing)
  await bootstrap(gateway.shared, API_KEY)
  return {
    ...gateway,
    /** Sends a request. @returns the body of the response. @throws Error if the response is an error. */
    async ask({ method, path, body }: LoadRequest): Promise<string> {
      const headers = { authorization: `ApiKey ${API_KEY}`, 'content-type': 'application/json' }
      const init = { method, headers, ...(body !== undefined && { body }) }
      const response = await gateway.app.fetch(new Request(`http://gateway.bench${path}`, init))
      const text = await response.text()
      if (!response.ok || text.startsWith('{"errors"')) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text
    },
  }
}

/** Fills an empty database, and counts the statements of each case. */
export async function prepare(location: DatabaseLocation, keyRing: string, scale: Scale): Promise<Prepared> {
  const gateway = await openBenchGateway(location, keyRing)
  try {
    const { pool, client } = gateway.database
    const { id: environmentId } = await client.environment.findFirstOrThrow({ where: { name: ENVIRONMENT } })
    for (const sql of fillings(scale)) {
      await pool.query(sql, sql.includes('$1') ? [environmentId] : [])
      // The foreign keys of the next statement are checked with these statistics.
      await pool.query('ANALYZE')
    }

    const [, cursor] = /"cursor":"([^"]+)"/.exec(await gateway.ask(cursorRequest(scale))) ?? []
    if (cursor === undefined) throw new Error('the subscriber of the deep page was not found')

    const recorder = recordStatements()
    const statements = new Map<CaseName, number>()
    for (const { name, request } of casesOf(scale, cursor)) {
      const counts: number[] = []
      for (let turn = 0; turn < WARM + COUNTED; turn += 1) {
        recorder.take()
        await gateway.ask(request(turn))
        if (turn >= WARM) counts.push(recorder.take().length)
      }
      statements.set(name, median(counts))
    }
    return { cursor, statements }
  } finally {
    await gateway.close()
  }
}
