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

/** Makes the environment of a key send its messages: the first environment of a new database captures them. */
async function sendMessages(address: string, key: string): Promise<void> {
  const ask = async (query: string, variables = {}) => {
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}` },
      body: JSON.stringify({ query, variables }),
    })
    return response.json() as Promise<unknown>
  }
  const { data } = (await ask('{ environment { id } }')) as { data: { environment: { id: string } } }
  // Checkouts of older releases have no `sending`: their environments send, and their error is ignored.
  await ask(
    'mutation ($id: ID!) { updateEnvironment(input: { id: $id, sending: LIVE }) { userErrors { message } } }',
    data.environment,
  )
}

/**
 * Starts the gateway on a free port and waits until it is ready. The environments of a first start send their messages.
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
      const keys = [...output.matchAll(/(ng_\S+)$/gm)].map(([, key = '']) => key)
      for (const key of keys) await sendMessages(address, key)
      return { child, address, keys }
    }
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`)
    await pause(100)
  }
}
