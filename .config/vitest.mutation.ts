// The Vitest configuration of the mutation tests: puts switches into the sources. test/mutation/run.ts starts it.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { withSwitches } from '../test/mutation/mutants.ts'
import type { Plan } from '../test/mutation/plan.ts'
import ordinary from './vitest.ts'

const root = path.resolve(import.meta.dirname, '..')
const plan = JSON.parse(readFileSync(process.env['MUTATION_PLAN'] ?? '', 'utf8')) as Plan
const { mutants, trials, loadedWith, patience, results } = plan
const hookTimeout = 20_000 * patience
const files = new Set(mutants.map(({ file }) => file))
const mutantsOf = new Map(
  [...files].map((file) => [path.join(root, file), mutants.filter((mutant) => mutant.file === file)]),
)

export default defineConfig({
  ...ordinary,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(code, id) {
        const inFile = mutantsOf.get(id)
        return inFile && { code: withSwitches(code, inFile), map: null }
      },
    },
  ],
  test: {
    ...ordinary.test,
    include: ['test/mutation/trials.ts'],
    setupFiles: ['test/mutation/runtime.ts'],
    provide: { mutation: { trials, loadedWith, hookTimeout, results } },
    reporters: ['dot'],
    silent: true,
    maxWorkers: 1,
    testTimeout: 10_000 * patience,
    hookTimeout,
  },
})
