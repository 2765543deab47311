// Large attachments: response times of another environment while triggers with 20 MiB each are accepted and sent, and
// the memory that they take.
// `npx tsx bench/attachments.ts [postgresql://...] [--triggers=20]` starts the built gateway (`npm run build`) on a
// temporary embedded database, or on a temporary database of the given PostgreSQL server. It ends with 1 if the p99 of
// ordinary requests exceeds 300 ms, if the memory grows by more than 150 MB, or if a file did not arrive.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { asking, startNameServer } from './neighbour/name-server.ts'
import { openProbe, type Samples } from './neighbour/probe.ts'
import { type GatewayProcess, startGateway } from './support/gateway-process.ts'
import { peakMemory } from './support/memory.ts'
import { percentile } from './support/percentile.ts'
import { postTo } from './support/post.ts'
import { startReceiver } from './support/receiver.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({ allowPositionals: true, options: { triggers: { type: 'string', default: '20' } } })
const TRIGGERS = Number(options.triggers)
/** The size of the file of each trigger, in bytes. */
const FILE = 20 * 1024 * 1024
/** Milliseconds of each measurement. */
const DURATION = 20_000
/** Concurrent triggers. */
const CONNECTIONS = 4
/** Milliseconds: p99 of ordinary requests of the other environment. */
const MAX_REQUEST = 300
/** Bytes of resident memory beyond the peak of ordinary requests. */
const MAX_GROWTH = 150 * 1024 ** 2

/** Triggers until the file of each has been accepted. @returns the statuses of the responses. */
async function triggerAll({ address, keys: [key] }: GatewayProcess): Promise<readonly number[]> {
  const pool = new Pool(address, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 })
  const statuses: number[] = []
  const headers = { 'content-type': 'application/json', authorization: `ApiKey ${key}` }
  let left = TRIGGERS
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left > 0) {
        left -= 1
        // Different bytes: equal ones are stored once.
        const file = { name: 'scan.bin', mime: 'application/octet-stream', file: randomBytes(FILE).toString('base64') }
        const trigger = { name: 'scan', to: 'customer', payload: { attachments: [file] } }
        const body = JSON.stringify(trigger)
        const response = await pool.request({ method: 'POST', path: '/v1/events/trigger', headers, body })
        await response.body.dump()
        statuses.push(response.statusCode)
      }
    }),
  )
  await pool.close()
  return statuses
}

const p99 = (samples: Samples, kind: keyof Samples) => percentile(samples[kind], 0.99).toFixed(0).padStart(6)

function report(name: string, samples: Samples, memory: number | undefined): void {
  const times = (['request', 'health', 'feed', 'message'] as const).map((kind) => `${kind} ${p99(samples, kind)} ms`)
  const megabytes = memory === undefined ? '?' : (memory / 1024 ** 2).toFixed(0)
  console.log([name.padEnd(28), ...times, `peak ${megabytes} MB`].join('  '))
}

const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
const database = server === undefined ? undefined : await createDatabase(server, 'attachments')
const receiver = await startReceiver()
const nameServer = await startNameServer()
const gateway = await startGateway({
  ...{ DATA_DIR: directory, ALLOW_PRIVATE_ADDRESSES: 'on', RATE_LIMIT: 'off' },
  ...asking(nameServer),
  ...(database && { DATABASE_URL: database.url }),
})
try {
  const post = postTo(gateway)
  await post('/v1/integrations', { providerId: 'email-webhook', channel: 'email', credentials: receiver.credentials })
  const steps = [{ type: 'email', subject: 'Your scan', body: 'Attached.' }]
  await post('/v2/workflows', { identifier: 'scan', name: 'Scan', steps })
  await post('/v2/subscribers', { subscriberId: 'customer', email: 'customer@example.com' })
  const probe = await openProbe(gateway.address, gateway.keys[1] ?? '')

  const ordinary = await probe.run(DURATION)
  const before = await peakMemory(gateway.child)
  report('ordinary requests', ordinary, before)
  const start = performance.now()
  const sending = triggerAll(gateway)
  const beside = await probe.run(DURATION)
  const statuses = await sending
  while (receiver.keys.size < TRIGGERS && performance.now() - start < 10 * DURATION) await pause(100)
  const after = await peakMemory(gateway.child)
  report(`beside ${TRIGGERS} × ${FILE / 1024 ** 2} MiB`, beside, after)
  probe.close()

  const growth = before === undefined || after === undefined ? NaN : after - before
  const accepted = statuses.filter((status) => status < 300).length
  const seconds = ((receiver.arrivals.at(-1) ?? NaN) - start) / 1000
  console.log(`${accepted} accepted, ${receiver.keys.size} sent within ${seconds.toFixed(1)} s`)
  console.log(`memory grew by ${(growth / 1024 ** 2).toFixed(0)} MB`)
  const isSlow = !(percentile(beside.request, 0.99) <= MAX_REQUEST)
  if (isSlow || growth > MAX_GROWTH || receiver.keys.size < TRIGGERS) process.exitCode = 1
} finally {
  gateway.child.kill()
  receiver.close()
  nameServer.close()
  await database?.remove()
  await rm(directory, { recursive: true, force: true })
}
process.exit()
