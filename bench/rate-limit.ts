// The cost of rate limiting per request: local buckets with batched reports compared to a round trip for every call.
// Usage: `npx tsx bench/rate-limit.ts [postgresql://...]`. It migrates the given database. Without a URL it uses a
// temporary embedded database.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Database, openDatabase } from '../src/data/connection/database.ts'
import { spendTokens } from '../src/data/access/rate-limit-buckets.ts'
import { createRateLimiter, largestPlan } from '../src/http/rate-limit.ts'
import { newId } from '../src/lib/new-id.ts'
import { median } from './support/median.ts'

const ROUNDS = 5
const CALLS = 2_000
const PARALLEL = 50

async function callMany(call: () => unknown): Promise<void> {
  for (let done = 0; done < CALLS; done += PARALLEL) await Promise.all(Array.from({ length: PARALLEL }, call))
}

/** Microseconds per call. */
async function costPerCall(round: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await round()
  return ((performance.now() - start) * 1000) / CALLS
}

async function compare({ client: db }: Database): Promise<void> {
  const [organizationId, environmentId] = [newId(), newId()]
  const createdAt = new Date()
  await db.organization.create({ data: { id: organizationId, name: 'Bench', createdAt } })
  await db.environment.create({
    data: {
      id: environmentId,
      organizationId,
      identifier: environmentId,
      name: 'Bench',
      slug: 'bench',
      type: 'dev',
      color: '#059669',
      createdAt,
      updatedAt: createdAt,
    },
  })
  const now = () => new Date()
  const limiter = createRateLimiter({
    rates: largestPlan,
    now,
    logger: console,
    share: (spendings, rates, at) => spendTokens(db, spendings, rates, at),
  })
  const local: number[] = []
  const remote: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      local.push(
        await costPerCall(async () => {
          await callMany(() => limiter.draw(environmentId, [{ category: 'trigger', cost: 1 }]))
          // The batched report is included in the cost.
          await limiter.flush()
        }),
      )
      const spending = { environmentId, category: 'trigger', tokens: 1 }
      remote.push(await costPerCall(() => callMany(() => spendTokens(db, [spending], largestPlan, now()))))
    }
  } finally {
    await limiter.close()
    await db.organization.delete({ where: { id: organizationId } })
  }
  console.log(`drawn locally, reported in batches: ${median(local).toFixed(2)} µs a call`)
  console.log(`a round trip for every call:        ${median(remote).toFixed(2)} µs a call`)
  console.log(`ratio:                              1 : ${(median(remote) / median(local)).toFixed(0)}`)
}

const [url] = process.argv.slice(2)
const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
const database = await openDatabase(url === undefined ? { directory } : { url })
try {
  await compare(database)
} finally {
  await database.close()
  await rm(directory, { recursive: true })
}
