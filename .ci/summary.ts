// Adds up the reports of the test runs, and fails where one was to use PostgreSQL and did not.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const report = z.object({
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
})

const files = process.argv.slice(2)
const runs = files.map((file) => report.parse(JSON.parse(readFileSync(file, 'utf8'))))

/** Of each test. A file that could not be run has none to count, and counts as one that failed. */
const statuses = runs
  .flatMap(({ testResults }) => testResults)
  .flatMap(({ status, assertionResults }) => {
    const ofTests = assertionResults.map((test) => test.status)
    return status === 'failed' && !ofTests.includes('failed') ? [...ofTests, 'failed'] : ofTests
  })

/** Tests that only PostgreSQL can run say so in their name. */
const needsServer = (name: string) => name.includes('(needs TEST_DATABASE_URL)')

for (const [index, file] of files.entries()) {
  if (path.basename(file) !== 'postgresql.json') continue
  const tests = runs[index]?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? []
  const ran = tests.filter(({ status, fullName }) => needsServer(fullName) && ['passed', 'failed'].includes(status))
  if (ran.length === 0) {
    console.error('The tests were to run on PostgreSQL, and did not.')
    process.exitCode = 1
  }
}

const count = (status: string) => statuses.filter((one) => one === status).length
console.log(`${count('passed')} passed, ${count('failed')} failed`)
