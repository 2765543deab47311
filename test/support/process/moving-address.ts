// An address that leads to the one of two PostgreSQL servers that accepts writes: HAProxy, as docs/operations.md
// configures it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { until } from './gateway-process.ts'
import { freePort } from './port.ts'
import { createFolder, rowsOf } from './postgres-server.ts'

/** True if HAProxy is installed. */
export const hasBalancer = spawnSync('haproxy', ['-v']).status === 0

/** HAProxy's part of the configuration that does not depend on the servers. The documentation shows the same. */
const configuration = `  option tcp-check
  tcp-check connect
  # Start-up message of the user postgres for the database postgres, and the end of its answer.
  tcp-check send-binary 00000029000300007573657200706f73746772657300646174616261736500706f7374677265730000
  tcp-check expect binary 5a0000000549
  # SHOW transaction_read_only, and the answer "off".
  tcp-check send-binary 510000001f53484f57207472616e73616374696f6e5f726561645f6f6e6c7900
  tcp-check expect binary 440000000d0001000000036f6666
  tcp-check send-binary 5800000004
  default-server inter 500ms fastinter 100ms downinter 100ms fall 2 rise 1 on-marked-down shutdown-sessions`

/** Starts HAProxy in front of servers, until the test ends. @returns the URL that leads to the one that accepts writes. */
export async function startMovingAddress(ports: readonly string[]): Promise<string> {
  const folder = createFolder()
  const port = await freePort()
  const file = path.join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  maxconn 500
defaults
  mode tcp
  timeout connect 1s
  retries 0
  timeout check 1s
  timeout client 1h
  timeout server 1h
listen postgresql
  bind 127.0.0.1:${port}
${configuration}
${ports.map((one, index) => `  server server-${index} 127.0.0.1:${one} check`).join('\n')}
`,
  )
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  // HAProxy counts all servers as up until it has checked them, and takes turns.
  await until(async () => {
    const answers = await Promise.all(ports.map(() => rowsOf(url, 'SHOW transaction_read_only')))
    return answers.every(([row]) => row?.['transaction_read_only'] === 'off') ? true : undefined
  })
  return url
}
