// Adds up the reports of the test runs, lists the tests that no run executed, and fails if a run named after PostgreSQL
// did not use it.
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

const runs = process.argv.slice(2).map((file) => ({
  name: path.basename(file, '.json'),
  files: report.parse(JSON.parse(readFileSync(file, 'utf8'))).testResults,
}))

/** Names of the tests that ran, passed or failed. */
const ranIn = (files: (typeof runs)[number]['files']) =>
  files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName }) => fullName)

// Tests that need PostgreSQL say so in their names, so a run without any of those did not use PostgreSQL.
for (const { name, files } of runs) {
  if (!name.endsWith('postgresql') || ranIn(files).some((test) => test.includes('(needs TEST_DATABASE_URL)'))) continue
  console.error(`The run ${name} did not use PostgreSQL.`)
  process.exitCode = 1
}

const files = runs.flatMap((run) => run.files)
const ran = new Set(ranIn(files))
const skipped = files.flatMap(({ assertionResults }) => assertionResults).filter(({ fullName }) => !ran.has(fullName))
for (const name of new Set(skipped.map(({ fullName }) => fullName))) console.error(`Did not run: ${name}`)

/** The status of each test. A file that failed to load has no tests, and counts as one failed test. */
const statuses = files.flatMap(({ status, assertionResults }) => {
  const ofTests = assertionResults.map((test) => test.status)
  return status === 'failed' && !ofTests.includes('failed') ? [...ofTests, 'failed'] : ofTests
})
const count = (status: string) => statuses.filter((one) => one === status).length
console.log(`${count('passed')} passed, ${count('failed')} failed`)
