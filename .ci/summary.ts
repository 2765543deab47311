// Adds up the reports of the test runs, lists the tests that failed and those that no run executed, and fails if a run
// named after PostgreSQL did not use it.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})

const runs = process.argv.slice(2).map((file) => ({
  name: path.basename(file, '.json'),
  files: report.parse(JSON.parse(readFileSync(file, 'utf8'))).testResults,
}))

type TestFile = (typeof runs)[number]['files'][number]

/** Names of the tests that ran, passed or failed. */
const ranIn = (files: readonly TestFile[]) =>
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

interface Outcome {
  readonly status: string
  readonly name: string
  readonly message: string
}

/** The outcome of each test. A file that failed to load has no tests, and counts as one failed test. */
const outcomesOf = (run: string, { name, status, message, assertionResults }: TestFile): readonly Outcome[] => {
  const place = `${run}, ${path.relative('.', name)}`
  const tests = assertionResults.map((test) => ({
    status: test.status,
    name: `${place}: ${test.fullName}`,
    message: test.failureMessages.join('\n'),
  }))
  const isBroken = status === 'failed' && !tests.some((test) => test.status === 'failed')
  return isBroken ? [...tests, { status, name: place, message }] : tests
}

const outcomes = runs.flatMap(({ name, files: ofRun }) => ofRun.flatMap((file) => outcomesOf(name, file)))
const passed = outcomes.filter(({ status }) => status === 'passed')
const failed = outcomes.filter(({ status }) => status === 'failed')
for (const { name, message } of failed) console.error(`Failed: ${name}\n${message}`)
console.log(`${passed.length} passed, ${failed.length} failed`)
