// The built gateway as a process of its own, as `npm start` runs it.
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export interface GatewayProcess {
  readonly child: ChildProcess
  readonly address: string
  /** The printed API keys. Empty unless this was the first start on the database. */
  readonly keys: readonly string[]
}

/**
 * Starts the gateway on a free port and waits until it is ready.
 *
 * @param checkout the folder of its repository.
 * @throws Error if it ends before it is ready.
 */
export async function startGateway(
  settings: NodeJS.ProcessEnv,
  checkout = path.join(import.meta.dirname, '../..'),
): Promise<GatewayProcess> {
  const main = path.resolve(checkout, 'dist/main.js')
  const child = spawn(process.execPath, [main], {
    cwd: tmpdir(),
    env: { PORT: '0', LOG_LEVEL: 'fatal', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  for (;;) {
    const [, address] = /Listening on (\S+)\n/.exec(output) ?? []
    if (address !== undefined && (await fetch(`${address}/ready`).catch(() => undefined))?.ok) {
      return { child, address, keys: [...output.matchAll(/(ng_\S+)$/gm)].map(([, key = '']) => key) }
    }
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`)
    await pause(100)
  }
}
