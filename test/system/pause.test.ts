// 5,000 messages that wait for a paused integration and are released with one command.
import { expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, trigger } from '../support/delivery/story.ts'
import { commandLineOf } from '../support/command-line.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const run = commandLineOf(world)

const EVENTS = 50
const RECIPIENTS = 100
const ALL = EVENTS * RECIPIENTS

/** The test sends real requests, which takes minutes on a busy machine. */
const PATIENCE = 600_000

test(
  '5,000 messages are held and released in one command, and none is lost or doubled',
  async () => {
    const client = world.production
    await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(client, [{ email: { subject: 'Hi', body: 'Hello' } }])
    const of = '--environment Production --integration email_webhook'
    await run(`pause ${of}`)
    for (let event = 0; event < EVENTS; event += 1) {
      const to = Array.from({ length: RECIPIENTS }, (_, index) => {
        const subscriberId = `reader-${event}-${index}`
        return { subscriberId, email: `${subscriberId}@example.com` }
      })
      await trigger(client, { to })
    }
    await world.work()
    expect(receiver.received).toEqual([])
    const [{ jobs }] = (await run('queue --environment Production --json')).json.environments
    expect(jobs).toMatchObject([{ kind: 'messages', due: 0, later: 0, held: ALL }])

    expect((await run(`resume ${of}`)).stdout).toContain(`${ALL} jobs released`)
    await world.work()
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([ALL, ALL])
    const { sent } = await client.ask('{ sent: deliveries(filter: { status: SENT }) { totalCount } }')
    expect(sent.totalCount).toBe(ALL)
  },
  PATIENCE,
)
