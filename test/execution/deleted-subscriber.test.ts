// The execution log after a subscriber was deleted: decisions stay, and nothing identifies the subscriber.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  feedOf,
  storyFields,
  trigger,
} from '../support/delivery/story.ts'
import { rowsOf } from '../support/furnish.ts'
import { until } from '../support/process/gateway-process.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const profile = { subscriberId: 'ada', firstName: 'Augusta', email: 'augusta@example.com', phone: '+4915199' }
const bell = { inApp: { stepId: 'bell', body: 'Hello {{subscriber.firstName}}' } }
const mail = { email: { stepId: 'mail', subject: 'Hi {{subscriber.firstName}}', body: 'Hello' } }
const text = { sms: { stepId: 'text', body: 'Hello {{subscriber.firstName}}' } }
const wait = { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }
const day = { digest: { stepId: 'day', amount: 1, unit: 'DAYS' } }

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await done(acme, 'createSubscriber', profile)
})

const remove = () => done(acme, 'deleteSubscriber', { subscriberId: 'ada' })

/** Deletes Ada, and erases her runs. */
async function removeAndErase(): Promise<void> {
  await remove()
  await world.work()
}

async function logOf(transactionId: string) {
  const { event } = await acme.ask(
    `query ($id: String!) {
       event(transactionId: $id) {
         status runCounts { completed cancelled failed waiting } messageCounts { sent failed pending cancelled }
         runs(first: 5) { nodes { subscriber { subscriberId } ${storyFields} } }
       }
     }`,
    { id: transactionId },
  )
  return { ...event, run: event.runs.nodes[0] }
}

/** All rows of the environment, as text. */
async function rows(): Promise<string> {
  const { environment } = await acme.ask('{ environment { id } }')
  return (await rowsOf(world, { client: acme, ids: { Environment: environment.id } })).join('\n')
}

test('a finished run keeps its decisions, and the profile is gone from the database', async () => {
  receiver.respond((response) => response.writeHead(400).end('augusta@example.com is unknown'))
  await createWorkflow(acme, [bell, mail, text])
  const id = await trigger(acme)
  await world.work()
  expect(await rows()).toMatch(/augusta.*is unknown/i)
  await removeAndErase()
  const { run, ...event } = await logOf(id)
  expect(event).toMatchObject({
    status: 'COMPLETED',
    runCounts: { completed: 1, cancelled: 0 },
    messageCounts: { failed: 1 },
  })
  expect(run).toMatchObject({ subscriberId: 'ada', subscriber: null, status: 'COMPLETED', error: null })
  expect(run.steps).toMatchObject([
    { stepId: 'bell', status: 'SENT', reason: null, detail: null },
    {
      stepId: 'mail',
      status: 'FAILED',
      reason: 'refused',
      detail: 'The subscriber was deleted.',
      deliveries: [
        {
          channel: 'EMAIL',
          providerId: 'EMAIL_WEBHOOK',
          destination: 'a deleted subscriber',
          subject: null,
          body: '',
          status: 'FAILED',
          attempts: [{ number: 1, status: 400, error: 'The subscriber was deleted.', answer: null }],
        },
      ],
    },
    { stepId: 'text', status: 'SKIPPED', reason: 'no_integration' },
  ])
  expect(await rows()).not.toMatch(/augusta|4915199/i)
})

test('an unfinished run ends with the reason and sends nothing more', async () => {
  await createWorkflow(acme, [wait, mail])
  const id = await trigger(acme)
  await world.work()
  await remove()
  await world.work({ early: true })
  const { run, ...event } = await logOf(id)
  expect(event).toMatchObject({ status: 'COMPLETED', runCounts: { cancelled: 1, waiting: 0 } })
  expect(run).toMatchObject({
    status: 'CANCELLED',
    error: 'The subscriber was deleted.',
    steps: [
      { stepId: 'wait', status: 'CANCELLED', reason: 'subscriber_deleted', detail: 'The subscriber was deleted.' },
    ],
  })
  expect(receiver.received).toEqual([])
})

test('a message in delivery and the members of an open digest are cancelled', async () => {
  receiver.answer(503)
  await createWorkflow(acme, [mail, day, bell])
  const ids = [await trigger(acme), await trigger(acme)]
  await world.work()
  await remove()
  await world.work({ early: true })
  for (const id of ids) {
    const { run, messageCounts } = await logOf(id)
    expect(messageCounts).toEqual({ sent: 0, failed: 0, pending: 0, cancelled: 1 })
    const cancelled = { status: 'CANCELLED', reason: 'subscriber_deleted' }
    expect(run).toMatchObject({ status: 'CANCELLED', steps: [cancelled, cancelled] })
  }
  expect(receiver.received).toHaveLength(2)
})

test('the response to a message in flight is recorded without the text of the provider', async () => {
  await createWorkflow(acme, [mail])
  const id = await trigger(acme)
  let removed: Promise<unknown> | undefined
  receiver.respond((response) => {
    removed = remove()
    void removed.then(() => response.writeHead(400).end('augusta@example.com is unknown'))
  })
  await world.work()
  await removed
  const { run } = await logOf(id)
  expect(run.steps[0].deliveries[0].attempts).toMatchObject([
    { status: 400, error: 'The subscriber was deleted.', answer: null },
  ])
  expect(await rows()).not.toMatch(/augusta/i)
})

test('a response that arrives after the erasure is recorded without the text of the provider', async () => {
  await createWorkflow(acme, [mail])
  const id = await trigger(acme)
  const isErased = {
    target: { path: ['kind'], equals: 'deleted' },
    stepRun: { run: { event: { transactionId: id } } },
  }
  let answered: Promise<void> | undefined
  receiver.respond((response) => {
    const answer = async () => {
      await remove()
      const working = world.work()
      await until(async () => (await world.gateway.db.delivery.findFirst({ where: isErased })) ?? undefined)
      response.writeHead(400).end('augusta@example.com is unknown')
      await working
    }
    answered = answer()
  })
  await world.work()
  await answered
  const { run } = await logOf(id)
  expect(run.steps[0].deliveries[0].attempts).toMatchObject([
    { status: 400, error: 'The subscriber was deleted.', answer: null },
  ])
  expect(await rows()).not.toMatch(/augusta/i)
})

test('a subscriber that is created again under the same id gets no messages of the first one', async () => {
  receiver.answer(400)
  await createWorkflow(
    acme,
    [bell, mail, wait, bell].map((step, index) =>
      step === bell && index > 0 ? { inApp: { stepId: 'later', body: 'Later' } } : step,
    ),
  )
  const id = await trigger(acme)
  await world.work()
  await remove()
  receiver.answer(200)
  await done(acme, 'createSubscriber', { ...profile, firstName: 'Other', email: 'other@example.com' })
  await world.work({ early: true })
  expect(await feedOf(acme)).toEqual([])
  const { run } = await logOf(id)
  expect(run).toMatchObject({ subscriber: null, status: 'CANCELLED' })
  const { userErrors } = await acme.act('retryDelivery', { id: run.steps[1].deliveries[0].id })
  expect(userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('subscriber was deleted') }])
  expect(receiver.received).toHaveLength(1)
})

test('a failed run of a deleted subscriber cannot be retried', async () => {
  await createWorkflow(acme, [wait])
  const id = await trigger(acme)
  await world.work()
  await world.database.pool.query(
    `UPDATE workflow_runs SET status = 'failed' FROM events AS event WHERE event_id = event.id AND transaction_id = $1`,
    [id],
  )
  await remove()
  const { run } = await logOf(id)
  const { userErrors } = await acme.act('retryWorkflowRun', { id: run.id })
  expect(userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('subscriber was deleted') }])
  expect((await logOf(id)).run.status).toBe('FAILED')
})

describe('before the job that erases its runs has ended', () => {
  /**
   * Deletes Ada and creates another subscriber with her id. The erasure waits until all other waiting jobs are done.
   */
  async function replaceAda(): Promise<void> {
    await remove()
    await done(acme, 'createSubscriber', { ...profile, firstName: 'Other', email: 'other@example.com' })
    await world.database.pool.query(
      `UPDATE jobs SET available_at = $1::timestamptz + CASE queue WHEN 'erase' THEN interval '1 day' ELSE interval '0' END`,
      [world.gateway.now()],
    )
    await world.work()
  }

  test('a run that waits is not continued', async () => {
    await createWorkflow(acme, [wait, bell, mail])
    const id = await trigger(acme)
    await world.work()
    await replaceAda()
    expect(await feedOf(acme)).toEqual([])
    expect(receiver.received).toEqual([])
    await world.work({ early: true })
    expect((await logOf(id)).run).toMatchObject({ status: 'CANCELLED', steps: [{ stepId: 'wait' }] })
  })

  test('a message is neither attempted again nor retried', async () => {
    receiver.respond((response) => response.writeHead(receiver.received.length === 1 ? 503 : 400).end())
    await createWorkflow(acme, [mail])
    const ids = [await trigger(acme), await trigger(acme)]
    await world.work()
    await replaceAda()
    for (const id of ids) {
      const [delivery] = (await logOf(id)).run.steps[0].deliveries
      expect(delivery.status).toBe('FAILED')
      const { userErrors } = await acme.act('retryDelivery', { id: delivery.id })
      expect(userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('was deleted') }])
    }
    expect(receiver.received).toHaveLength(2)
  })

  test('another subscriber with the same id does not join its digests', async () => {
    await createWorkflow(acme, [day, { inApp: { stepId: 'sum', body: '{{digest.count}} news' } }])
    await trigger(acme)
    await world.work()
    await remove()
    await done(acme, 'createSubscriber', profile)
    await trigger(acme)
    await world.work({ early: true })
    expect(await bodiesOf(acme)).toEqual(['1 news'])
  })
})

describe('many runs', () => {
  const count = 60
  const details = async (): Promise<string[]> => {
    const { rows } = await world.database.pool.query(
      `SELECT DISTINCT detail FROM step_runs AS step JOIN workflow_runs AS run ON run.id = run_id
       JOIN subscribers AS witness ON witness.environment_id = run.environment_id AND witness.subscriber_id = 'witness'`,
    )
    return rows.map(({ detail }) => detail)
  }

  beforeEach(async () => {
    await world.database.pool.query(`DELETE FROM subscribers WHERE subscriber_id = 'witness'`)
    await done(acme, 'createSubscriber', { subscriberId: 'witness' })
    await createWorkflow(acme, [text])
    const events = Array.from({ length: count }, () => ({
      workflowIdentifier: 'order',
      to: [{ subscriber: { subscriberId: 'ada' } }],
    }))
    await done(acme, 'triggerEvents', { events })
    await world.work()
    expect(await details()).not.toContain('The subscriber was deleted.')
    await remove()
  })

  test('are erased in several transactions, smaller ones after one that took too long', async () => {
    const { pool } = world.database
    await pool.query(`
      CREATE FUNCTION expire() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM after) > ${count / 3} THEN RAISE EXCEPTION 'too slow' USING ERRCODE = '57014'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER expire AFTER UPDATE ON step_runs REFERENCING NEW TABLE AS after
      FOR EACH STATEMENT EXECUTE FUNCTION expire()`)
    try {
      await world.work({ early: true })
    } finally {
      await pool.query('DROP FUNCTION expire CASCADE')
    }
    expect(await details()).toEqual(['The subscriber was deleted.'])
  })

  test('are erased an hour later if every attempt failed', async () => {
    const { pool } = world.database
    await pool.query('UPDATE jobs SET attempt_count = 13')
    await world.work()
    expect(await details()).not.toContain('The subscriber was deleted.')
    expect(world.logged).toContainEqual(expect.objectContaining({ msg: 'job given up', queue: 'erase' }))
    await world.work({ early: true })
    expect(await details()).toEqual(['The subscriber was deleted.'])
  })
})

test('deleting a subscriber costs as many statements with many runs as with none, and spares other subscribers', async () => {
  await createWorkflow(acme, [mail, wait])
  const without = await statementsOf(async () => {
    await done(acme, 'createSubscriber', { subscriberId: 'idle' })
    await done(acme, 'deleteSubscriber', { subscriberId: 'idle' })
  })
  const ids = []
  for (let index = 0; index < 20; index++)
    ids.push(await trigger(acme, { to: ['ada', { ...profile, subscriberId: 'grace' }] }))
  await world.work()
  const many = await statementsOf(async () => {
    await done(acme, 'createSubscriber', { subscriberId: 'idle' })
    await remove()
  })
  expect(many).toHaveLength(without.length)
  const { workflowRuns } = await acme.ask(
    '{ workflowRuns(filter: { subscriberId: "grace", status: WAITING }) { totalCount nodes { steps { deliveries { destination } } } } }',
  )
  expect(workflowRuns.totalCount).toBe(20)
  expect(workflowRuns.nodes[0].steps[0].deliveries[0].destination).toBe('augusta@example.com')
})
