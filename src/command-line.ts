#!/usr/bin/env node
// The command line: `npx notification-gateway <command>`.
import { setFlagsFromString } from 'node:v8'
import { runCommandLine } from './cli/run.ts'
import { readConfig } from './config.ts'

// A command may take a little longer to need less memory when it opens the embedded database itself: V8 collects garbage
// sooner, also in threads that start later, and compiles only the WebAssembly that runs.
for (const flag of ['--heap-growing-percent=30', '--max-semi-space-size=1', '--wasm-lazy-compilation']) {
  setFlagsFromString(flag)
}

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
