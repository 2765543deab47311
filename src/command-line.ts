#!/usr/bin/env node
// The command line: `npx notification-gateway <command>`.
import { runCommandLine } from './cli/run.ts'
import { readConfig } from './config.ts'

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second signal ends the process even if the command does not stop.
    if (interrupted.signal.aborted) process.exit(1)
    interrupted.abort(new Error('interrupted'))
  })
}
const { stdin, stdout, stderr } = process
const code = await runCommandLine(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
  readSettings: () => readConfig(),
})
process.exit(code)
