// Triggers of different requests that are written together: one statement writes those that arrive while another is
// being written, and none fails because of another.
import type pg from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Groups } from '../../src/lib/groups.ts'
import { bodiesOf, createWorkflow } from '../support/delivery/story.ts'
import { onServer } from '../support/on-server.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, type RestAnswer, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: '{{payload.text}}' } }])
  await post('first')
})

const post = (text: string, more: object = {}) =>
  acme.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada', payload: { text }, ...more } })

/** Sends requests, each with one trigger, one after the other while no event can be written, and then runs `meanwhile`. */
async function whileNoneIsWritten(
  requests: readonly (() => Promise<RestAnswer>)[],
  meanwhile: (client: pg.ClientBase) => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly RestAnswer[]> {
  const joined = vi.spyOn(Groups.prototype, 'join')
  // The only connection of the embedded database. On a server, the lock holds up the others.
  const client = await world.database.pool.connect()
  await client.query('BEGIN; LOCK TABLE events IN EXCLUSIVE MODE')
  const answers: Promise<RestAnswer>[] = []
  try {
    for (const request of requests) {
      answers.push(request())
      await vi.waitFor(() => expect(joined).toHaveBeenCalledTimes(answers.length))
    }
    await meanwhile(client)
  } finally {
    await client.query('COMMIT')
    client.release()
    joined.mockRestore()
  }
  return Promise.all(answers)
}

const statuses = (answers: readonly RestAnswer[]) => answers.map(({ status }) => status)

const numbers = Array.from({ length: 15 }, (_, index) => String(index + 1))

test('triggers that arrive while one is written are written by one statement, in the order of their arrival', async () => {
  const sent = await statementsOf(async () => {
    expect(new Set(statuses(await whileNoneIsWritten(numbers.map((text) => () => post(text)))))).toEqual(new Set([201]))
  })
  expect(sent.filter((text) => text.includes('INSERT INTO events'))).toHaveLength(2)
  await world.work()
  expect(await bodiesOf(acme)).toEqual(['first', ...numbers])
})

test('a trigger without others is written by one statement, without a lookup', async () => {
  expect(await statementsOf(() => post('second'))).toEqual([expect.stringContaining('INSERT INTO events')])
})

test('each trigger of a group has its own payload, subscriber, contexts and actor', async () => {
  const tenant = (id: string) => ({ tenant: { id, data: { name: id } } })
  await whileNoneIsWritten([
    () => post('one'),
    () => post('two', { to: { subscriberId: 'grace', firstName: 'Grace' }, context: tenant('acme') }),
    () => post('three', { to: { subscriberId: 'grace', lastName: 'Hopper' }, context: tenant('globex'), actor: 'ada' }),
  ])
  await world.work()
  expect(await bodiesOf(acme)).toEqual(['first', 'one'])
  expect(await bodiesOf(acme, 'grace', ['tenant:acme'])).toEqual(['two'])
  expect(await bodiesOf(acme, 'grace', ['tenant:globex'])).toEqual(['three'])
  expect((await acme.rest('GET /v2/subscribers/grace')).body).toMatchObject({ firstName: 'Grace', lastName: 'Hopper' })
})

describe('no trigger fails because of another', () => {
  test('if one trigger cannot be written', async () => {
    const { pool } = world.database
    await pool.query(`CREATE FUNCTION reject_bad() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.payload->>'text' = 'bad' THEN RAISE 'no'; END IF; RETURN NEW; END $$`)
    await pool.query('CREATE TRIGGER reject_bad BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION reject_bad()')
    try {
      const answers = await whileNoneIsWritten(['one', 'good', 'bad', 'fine'].map((text) => () => post(text)))
      expect(statuses(answers)).toEqual([201, 201, 500, 201])
    } finally {
      await pool.query('DROP FUNCTION reject_bad CASCADE')
    }
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['first', 'one', 'good', 'fine'])
  })

  // With a single connection, the lookup of a transaction id also waits for the first trigger.
  test.skipIf(!onServer)('if several triggers have the same transaction id', async () => {
    const answers = await whileNoneIsWritten([
      () => post('one'),
      () => post('two'),
      ...['three', 'four'].map((text) => () => post(text, { transactionId: 'same' })),
    ])
    expect(statuses(answers)).toEqual([201, 201, 201, 201])
    expect(answers.slice(2).map(({ body }) => body.transactionId)).toEqual(['same', 'same'])
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['first', 'one', 'two', 'three'])
  })

  test('if the topic of one trigger is deleted', async () => {
    await acme.act('createTopic', { key: 'news' })
    const answers = await whileNoneIsWritten(
      [() => post('one'), () => post('two'), () => post('three', { to: { type: 'Topic', topicKey: 'news' } })],
      (client) => client.query(`DELETE FROM topics WHERE key = 'news'`),
    )
    expect(statuses(answers)).toEqual([201, 201, 404])
  })
})

describe('a workflow that has changed since it was last looked up', () => {
  /** Changes the workflow as another process would. */
  const change = (column: string, value: string) =>
    world.database.pool.query(`UPDATE workflows SET ${column} = $1 WHERE identifier = 'order'`, [value])

  test('runs in its current version', async () => {
    await change('active', 'false')
    expect((await post('second')).body).toMatchObject({ status: 'trigger_not_active' })
  })

  test('validates the payload with its current schema', async () => {
    await change('payload_schema', '{"type":"object","required":["plan"]}')
    expect((await post('second')).status).toBe(400)
    await change('payload_schema', '{"type":"object","required":["text"]}')
    expect((await post('third')).status).toBe(201)
  })

  test('can have been deleted', async () => {
    await world.database.pool.query(`DELETE FROM workflows WHERE identifier = 'order'`)
    expect((await post('second')).status).toBe(404)
  })
})
