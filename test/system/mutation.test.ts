// The tests notice most small changes of the engine, the domain and the pipeline.
import { expect, test } from 'vitest'
import { MIN_KILLED, scoreOf, survivorsOf, tryMutants } from '../mutation/outcomes.ts'
import { onServer } from '../support/on-server.ts'

// `npm run test:mutation` tries 200. These are the first 25 of them. Continuous integration leaves them out, because every
// test has to run without a mutant first. A second run on PostgreSQL would say the same.
test.skipIf(onServer)(
  'tests notice at least 85 % of 25 mutants (needs the embedded database: no TEST_DATABASE_URL)',
  { timeout: 3_600_000 },
  async () => {
    const outcomes = await tryMutants({ count: 25, seed: 1 })
    const { score, sentence } = scoreOf(outcomes)
    console.log(`${sentence}. No test notices:\n${survivorsOf(outcomes).join('\n')}`)
    expect(score).toBeGreaterThanOrEqual(MIN_KILLED)
  },
)
