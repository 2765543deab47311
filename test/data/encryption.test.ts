// Encryption at rest: which columns are encrypted, what happens if they cannot be decrypted, and rows of earlier
// versions.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encryptedColumns } from '../../src/data/secrets/encryption.ts'
import { assertKeyRing, encryptStoredAddresses } from '../../src/domain/secrets/encryption.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { openSecretEnvironment, webhookInput } from '../support/secrets.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })

const query = async (sql: string, values: unknown[] = []) => (await world.database.pool.query(sql, values)).rows

let client: Client
let environmentId: string
beforeAll(async () => {
  await assertKeyRing(world.gateway)
  await encryptStoredAddresses(world.gateway, { info: () => {} })
})
beforeEach(async () => {
  ;({ client, environmentId } = await openSecretEnvironment(world))
})

const ENDPOINTS = '{ channelEndpoints { nodes { identifier endpoint { ... on Webhook { url channel } } } } }'

describe('encrypted columns', () => {
  test('are all checked at startup', async () => {
    const columns = await query(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type IN ('text', 'ARRAY', 'jsonb')`,
    )
    const found: string[] = []
    for (const { table, column } of columns) {
      const pattern = `${world.gateway.cipher.newestKeyId}.%`
      const [{ count }] = await query(
        `SELECT count(*)::int FROM ${table} WHERE ltrim("${column}"::text, '{["') LIKE $1`,
        [pattern],
      )
      if (count > 0) found.push(`${table}.${column}`)
    }
    expect(found.toSorted()).toEqual(encryptedColumns.toSorted())
  })

  test('contain no webhook URL and no device token in plain text', async () => {
    const tables = await query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
    for (const { tablename } of tables) {
      const rows = await query(`SELECT * FROM ${tablename}`)
      expect(JSON.stringify(rows), tablename).not.toContain('MARK')
    }
  })
})

describe('what cannot be decrypted', () => {
  const foreign = new Cipher(newKeyRing('foreign'))

  test('is null with an error at its path, and the rest of the page is returned', async () => {
    await client.act('createChannelEndpoint', webhookInput('broken', 'https://chat.example.com/broken'))
    await query(`UPDATE channel_endpoints SET secret = $1 WHERE identifier = 'broken'`, [
      foreign.encrypt('{}', environmentId),
    ])
    const { status, data, errors } = await client.send(ENDPOINTS)
    expect(status).toBe(200)
    expect(data.channelEndpoints.nodes).toEqual([
      { identifier: 'broken', endpoint: null },
      { identifier: 'hook', endpoint: { url: 'https://chat.example.com/ENDPOINT-MARK', channel: 'general' } },
    ])
    const path = ['channelEndpoints', 'nodes', 0, 'endpoint']
    expect(errors).toMatchObject([{ path, extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
    const { errorId } = errors[0]?.extensions ?? {}
    const lines = world.logged.filter((line) => line['errorId'] === errorId)
    expect(lines).toMatchObject([
      { err: { message: expect.stringMatching(/^the secrets of the channel endpoint "broken" cannot be decrypted/) } },
    ])
    const rest = await client.rest('GET /v1/channel-endpoints')
    expect(rest.status).toBe(500)
    expect(world.logged.at(-1)).toMatchObject({
      errorId: rest.body.errorId,
      err: { message: expect.stringMatching(/channel endpoint "broken" cannot be decrypted/) },
    })
    expect((await client.rest('GET /v1/channel-endpoints/hook')).status).toBe(200)
  })

  test.each(['webhook_url', 'encrypted_tokens'])('leaves the subscriber readable: %s', async (column) => {
    await client.act('createSubscriber', { subscriberId: 'grace' })
    await query(`UPDATE subscriber_credentials SET ${column} = $1 WHERE ${column} IS NOT NULL`, [
      foreign.encrypt('[]', environmentId),
    ])
    const { data, errors } = await client.send('{ subscribers { nodes { subscriberId channels { providerId } } } }')
    expect(data.subscribers.nodes).toEqual([
      { subscriberId: 'grace', channels: [] },
      { subscriberId: 'ada', channels: null },
    ])
    expect(errors).toMatchObject([{ path: ['subscribers', 'nodes', 1, 'channels'] }])
    expect(world.logged.at(-1)).toMatchObject({
      err: { message: expect.stringMatching(/^the secrets of the subscriber "ada" cannot be decrypted/) },
    })
  })
})

describe('rows of earlier versions', () => {
  const notDone = () => query(`DELETE FROM startup_steps WHERE name LIKE 'encrypt %'`)
  const plainRows = () =>
    query(
      `SELECT environment_id FROM channel_endpoints WHERE type = 'webhook' AND secret IS NULL
       UNION ALL SELECT environment_id FROM subscriber_credentials WHERE device_tokens <> '{}'`,
    )

  /** Stores the endpoint `plain-<n>` and the tokens of one subscriber for each number, in clear text. */
  async function storeInClear(count: number): Promise<void> {
    await query(
      `INSERT INTO channel_endpoints
         (environment_id, id, identifier, context_keys, type, endpoint, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'plain-' || n, '{}', 'webhook',
              jsonb_build_object('url', 'https://chat.example.com/' || n, 'channel', 'general'), now(), now()
       FROM generate_series(1, $2::int) AS n`,
      [environmentId, count],
    )
    await query(
      `INSERT INTO subscriber_credentials
         (environment_id, id, subscriber_id, provider_id, integration_identifier, device_tokens, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'ada', 'apns', 'plain-' || n, ARRAY['token.' || n, 'another'], now(), now()
       FROM generate_series(1, $2::int) AS n`,
      [environmentId, count],
    )
    await notDone()
  }

  /** @returns what was logged. */
  async function start(): Promise<unknown[]> {
    const logged: unknown[] = []
    await encryptStoredAddresses(world.gateway, { info: (fields: unknown) => logged.push(fields) })
    return logged
  }

  test('are encrypted once, by one of several processes, and read as before', async () => {
    await storeInClear(1200)
    const logged = (await Promise.all([start(), start(), start()])).flat()
    const sum = (field: string) =>
      (logged as Record<string, number>[]).reduce((total, fields) => total + (fields[field] ?? 0), 0)
    expect([sum('webhooks'), sum('credentials')]).toEqual([1200, 1200])
    expect(await plainRows()).toEqual([])
    const { channelEndpoint } = await client.ask(
      '{ channelEndpoint(identifier: "plain-77") { endpoint { ... on Webhook { url channel } } } }',
    )
    expect(channelEndpoint.endpoint).toEqual({ url: 'https://chat.example.com/77', channel: 'general' })
    const { channels } = (
      await client.ask('{ subscriber(subscriberId: "ada") { channels { integrationIdentifier deviceTokens } } }')
    ).subscriber
    expect(channels).toContainEqual({ integrationIdentifier: 'plain-77', deviceTokens: ['token.77', 'another'] })
  })

  test('are encrypted completely by the next start if a process was killed', async () => {
    await storeInClear(600)
    // The second batch fails, as if the process had ended.
    await query(
      `ALTER TABLE channel_endpoints ADD CONSTRAINT killed CHECK (secret IS NULL OR identifier <> 'plain-600' OR type <> 'webhook') NOT VALID`,
    )
    await expect(start()).rejects.toThrow()
    await query('ALTER TABLE channel_endpoints DROP CONSTRAINT killed')
    expect(await start()).toHaveLength(1)
    expect(await plainRows()).toEqual([])
  })

  test('are not searched again once they are encrypted', async () => {
    await storeInClear(1)
    await start()
    await query(
      `UPDATE subscriber_credentials SET device_tokens = '{later}' WHERE environment_id = $1 AND integration_identifier = 'plain-1'`,
      [environmentId],
    )
    expect(await start()).toEqual([])
    expect(await plainRows()).toHaveLength(1)
  })
})
