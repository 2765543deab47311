// The stories of delivery-durability.test.ts at the size of a large topic, which takes minutes of CPU time.
import { beforeAll, describe, test, vi } from 'vitest'
import { notifyDespiteKills, shareMessages } from '../support/delivery/durability.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { returnDespiteKill } from '../support/delivery/snooze.ts'
import { build } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'

const receiver = useReceiver()

vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

test('a killed process has notified each of 10,000 topic subscribers exactly once after several restarts', async () => {
  await notifyDespiteKills(10_000)
})

test('100,000 snoozed notifications that are due in one minute return exactly once, within a minute, despite a kill', async () => {
  await returnDespiteKill(100_000)
})

describe.runIf(onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
  test('three processes share 2,000 messages and send each one once', async () => {
    await shareMessages(receiver, 2_000)
  })
})
