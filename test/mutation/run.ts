// Mutation tests: changes the sources in small ways, one at a time, and reports the changes that no test notices. Constants
// and tables that are evaluated once at the start are not changed: what reads them is.
//   npx tsx test/mutation/run.ts [--count 200] [--seed 1] [--tests <folder or file>]... [folder or file of src]...
import { parseArgs } from 'node:util'
import { MIN_KILLED, scoreOf, survivorsOf, tryMutants } from './outcomes.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', multiple: true },
  },
})
const outcomes = await tryMutants({
  count: Number(values.count),
  seed: Number(values.seed),
  ...(positionals.length > 0 && { of: positionals }),
  ...(values.tests && { tests: values.tests }),
  onProgress: (line) => console.error(line),
})
const { score, sentence } = scoreOf(outcomes)
for (const survivor of survivorsOf(outcomes)) console.log(survivor)
console.log(sentence)
process.exitCode = score < MIN_KILLED ? 1 : 0
