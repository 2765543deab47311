// Durability of webhooks: each message of 10,000 changes arrives, although the process is killed ten times meanwhile.
import { beforeAll, expect, test } from 'vitest'
import { onServer } from '../support/on-server.ts'
import { build, freshSettings, started, until } from '../support/process/gateway-process.ts'
import { ask, createSubscribers, kill, names, settingsOfAll } from '../support/delivery/durability.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { verified } from '../support/delivery/webhooks.ts'

const receiver = useReceiver()
const CHANGES = 10_000
const KILLS = 10

beforeAll(build, 120_000)

test.runIf(onServer)(
  'a process that is killed ten times during 10,000 webhook messages loses none of them (needs TEST_DATABASE_URL)',
  { timeout: 300_000 },
  async () => {
    const settings = { ...(await freshSettings()), ...settingsOfAll }
    let { gateway, address } = await started(settings)
    const { createWebhookSubscription } = await ask(
      address,
      `mutation {
        createWebhookSubscription(input: {
          identifier: "crm", url: "${receiver.url}", eventTypes: [SUBSCRIBER_CREATED]
        }) { secret userErrors { message } }
      }`,
    )
    const subscriberIds = names(CHANGES)
    const half = CHANGES / 2
    await createSubscribers(address, subscriberIds.slice(0, half))

    // Whatever was sent before a kill, a part of the rest arrives before the next one.
    const arrivesMore = async (count: number) => {
      const before = receiver.received.length
      await until(() => Promise.resolve(receiver.received.length >= before + count || undefined), 1)
    }
    for (let killed = 0; killed < KILLS; killed += 1) {
      // Changes are made in between, too.
      const part = half / KILLS
      await createSubscribers(address, subscriberIds.slice(half + killed * part, half + (killed + 1) * part))
      await arrivesMore(part)
      await kill(gateway)
      ;({ gateway, address } = await started(settings))
    }

    const arrived = () => new Map(receiver.received.map((request) => [request.headers['webhook-id'], request]))
    await until(() => Promise.resolve(arrived().size >= CHANGES || undefined))
    const messages = [...arrived().values()].map((request) => verified(createWebhookSubscription.secret, request))
    expect(new Set(messages.map(({ data }) => data['subscriberId']))).toEqual(new Set(subscriberIds))
    expect(arrived().size).toBe(CHANGES)
    await gateway.kill('SIGTERM')
  },
)
