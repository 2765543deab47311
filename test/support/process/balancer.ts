// A load balancer in front of gateways, as small as one can be that asks for readiness.
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

/** Milliseconds between two questions of the balancer. */
const INTERVAL = 1_000

/** Whether a gateway is ready, as a balancer asks. */
const isReady = (address: string) =>
  fetch(`${address}/ready`, { signal: AbortSignal.timeout(INTERVAL) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** What a balancer passes on. */
interface Passed {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends a request to a gateway over a connection that is kept. @throws if it has no response. */
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
 * Passes requests on to gateways that are ready, in turn. It asks `/ready` each second. A request that fails is a 502.
 *
 * @param repeats sends a request that fails to the next gateway, if it may be sent twice.
 */
export async function startBalancer(addresses: readonly string[], { repeats }: { readonly repeats: boolean }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  let ready = addresses
  const timer = setInterval(() => {
    void Promise.all(addresses.map(isReady)).then((answers) => (ready = addresses.filter((_, index) => answers[index])))
  }, INTERVAL)
  let turn = 0
  /** Responses with which a gateway ended its connection. */
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
