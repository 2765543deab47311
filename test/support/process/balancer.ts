// A minimal load balancer that checks the readiness of gateways.
import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { portOf } from './port.ts'

/** Milliseconds between two readiness checks. */
const INTERVAL = 1_000

/** Whether a gateway is ready, as the balancer checks it. */
const isReady = (address: string) =>
  fetch(`${address}/ready`, { signal: AbortSignal.timeout(INTERVAL) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** The parts of a request that the balancer passes on. */
interface Passed {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends a request to a gateway over a kept-alive connection. @throws if there is no response. */
async function pass(agent: Agent, address: string, { method, url, headers, body }: Passed) {
  const sent = request(`${address}${url}`, { method, headers, agent })
  sent.end(body)
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  if (answer === undefined) throw new Error('no response')
  return { answer, content: await buffer(answer) }
}

/** True if a request may be sent twice. */
const isRepeatable = ({ method, headers }: Passed) => method === 'GET' || headers['idempotency-key'] !== undefined

/**
 * Passes requests on to ready gateways, in turn. Checks `/ready` every second. Responds to a failed request with 502.
 *
 * @param repeats sends a failed request to the next gateway, if it may be sent twice.
 */
export async function startBalancer(addresses: readonly string[], { repeats }: { readonly repeats: boolean }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  let ready = addresses
  const timer = setInterval(() => {
    void Promise.all(addresses.map(isReady)).then((answers) => (ready = addresses.filter((_, index) => answers[index])))
  }, INTERVAL)
  let turn = 0
  /** Responses with which a gateway closed its connection. */
  const closed = { count: 0 }

  async function forward(passed: Passed, attempts: number): ReturnType<typeof pass> {
    const address = ready[(turn += 1) % ready.length]
    if (address === undefined) throw new Error('no gateway is ready')
    try {
      return await pass(agent, address, passed)
    } catch (error) {
      if (attempts === 1) throw error
      ready = ready.filter((one) => one !== address)
      return forward(passed, attempts - 1)
    }
  }

  async function handle(received: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = received
    const passed = { method, url, headers, body: await buffer(received) }
    try {
      const { answer, content } = await forward(passed, repeats && isRepeatable(passed) ? addresses.length : 1)
      if (answer.headers.connection === 'close') closed.count += 1
      response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] }).end(content)
    } catch {
      response.writeHead(502).end()
    }
  }

  const server = createServer((received, response) => void handle(received, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    clearInterval(timer)
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { address: `http://127.0.0.1:${portOf(server)}`, closed }
}
