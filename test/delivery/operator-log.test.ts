// What the log tells an operator about deliveries: messages that failed permanently, and providers that fail and
// recover.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'

const world = useWorld()
const receiver = useReceiver()
const secret = 'secret-of-the-mail-account'
let acme: Client

/** An environment that sends emails to Ada and Grace. */
async function mailer(): Promise<Client> {
  const client = await world.environment()
  for (const subscriberId of ['ada', 'grace']) {
    await done(client, 'createSubscriber', { subscriberId, email: `${subscriberId}@example.com` })
  }
  await createIntegration(client, 'EMAIL_WEBHOOK', `${receiver.url}/${secret}`)
  await createWorkflow(client, [{ email: { stepId: 'mail', subject: 'Shipped', body: 'Your order is on its way.' } }])
  return client
}

beforeEach(async () => {
  acme = await mailer()
})

/** The lines with these messages that an act adds to the log. */
async function linesOf(act: () => Promise<unknown>, ...messages: string[]) {
  const before = world.logged.length
  await act()
  return world.logged.slice(before).filter(({ msg }) => messages.includes(String(msg)))
}

const outage = () => {
  receiver.answer(503, { error: 'down' })
}

/** Triggers a message to each of these subscribers. @returns the transaction ids. */
const send = (...to: string[]) => sendIn(acme, ...to)

async function sendIn(client: Client, ...to: string[]): Promise<string[]> {
  const transactionIds: string[] = []
  for (const subscriberId of to) transactionIds.push(await trigger(client, { to: subscriberId }))
  await world.work()
  return transactionIds
}

describe('a message that failed for good', () => {
  test('is logged in one line with its event, subscriber, provider and reason, and without secrets', async () => {
    receiver.answer(400, { error: secret })
    let transactionIds: string[] = []
    const lines = await linesOf(async () => (transactionIds = await send('ada')), 'message failed')
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        eventId: expect.stringMatching(/^[\da-f-]{36}$/),
        transactionId: transactionIds[0],
        subscriberId: 'ada',
        channel: 'email',
        provider: 'email-webhook',
        integration: 'email_webhook',
        attempts: 1,
        reason: expect.stringContaining('responded with 400'),
      }),
    ])
    expect(JSON.stringify(lines)).not.toContain(secret)
  })

  test('is logged after its last attempt only', async () => {
    outage()
    expect(await linesOf(() => send('ada'), 'message failed')).toEqual([])
    const [line, ...others] = await linesOf(() => world.work({ early: true }), 'message failed')
    expect(line).toMatchObject({ subscriberId: 'ada', attempts: 10 })
    expect(others).toEqual([])
  })
})

describe('a provider', () => {
  test('that begins to fail for several subscribers is logged in one line, and so is its recovery', async () => {
    outage()
    const failing = await linesOf(
      async () => {
        await send('ada', 'grace', 'ada', 'grace')
        await send('ada', 'grace', 'ada', 'grace')
      },
      'provider failing',
      'provider recovered',
    )
    expect(failing).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'provider failing',
        integration: 'email_webhook',
        provider: 'email-webhook',
        failures: 5,
        status: 503,
        reason: expect.stringContaining('responded with 503'),
        eventId: expect.any(String),
        subscriberId: expect.any(String),
      }),
    ])
    receiver.answer(200)
    const recovered = await linesOf(() => world.work({ early: true }), 'provider failing', 'provider recovered')
    expect(recovered).toEqual([
      expect.objectContaining({ level: 30, msg: 'provider recovered', integration: 'email_webhook', failures: 8 }),
    ])
    expect(JSON.stringify([failing, recovered])).not.toContain(secret)
  })

  test('does not count as failing for a bad address of one subscriber, nor for failures between successes', async () => {
    receiver.respond((response) => {
      response.writeHead(receiver.last.body.includes('ada@example.com') ? 400 : 200).end()
    })
    const lines = await linesOf(
      async () => {
        await send('ada', 'ada', 'ada', 'ada', 'ada')
        await send('grace')
        await send('ada', 'ada', 'ada', 'ada')
        await send('grace')
      },
      'provider failing',
      'provider recovered',
    )
    expect(lines).toEqual([])
  })

  test('counts as failing after ten attempts for a single subscriber too', async () => {
    outage()
    const lines = await linesOf(async () => {
      await send('ada')
      await world.work({ early: true })
    }, 'provider failing')
    expect(lines).toMatchObject([{ failures: 10, subscriberId: 'ada' }])
  })

  test('that fails in one environment is distinct from the same provider in another', async () => {
    outage()
    const globex = await mailer()
    const lines = await linesOf(async () => {
      await send('ada', 'grace', 'ada')
      await sendIn(globex, 'ada', 'grace', 'ada')
    }, 'provider failing')
    expect(lines).toEqual([])
  })
})
