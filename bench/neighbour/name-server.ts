// The name server of the neighbor benchmark, on loopback. It responds immediately, except for the attacker's names, for
// which it never responds.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** The domain whose names get no response. All others have the address 127.0.0.1. */
export const DEAD_DOMAIN = 'dead.test'

/** Bytes of the header of a query. Its name follows. */
const HEADER = 12
const A = 1

export interface NameServer {
  /** `127.0.0.1:<port>` */
  readonly address: string
  close(): void
}

/** Reads the question of a query: the name, the record type and where it ends. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = HEADER
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** The answer to a query. Names have one IPv4 address with a time to live of 0, and no other records. */
function answerTo(query: Buffer, { type, end }: ReturnType<typeof readQuestion>): Buffer {
  const header = Buffer.alloc(HEADER)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(type === A ? 1 : 0, 6)
  const record = type === A ? [0xc0, HEADER, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1] : []
  return Buffer.concat([header, query.subarray(HEADER, end), Buffer.from(record)])
}

export async function startNameServer(): Promise<NameServer> {
  const server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    const question = readQuestion(query)
    if (!question.name.toLowerCase().endsWith(DEAD_DOMAIN)) server.send(answerTo(query, question), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  return { address: `127.0.0.1:${server.address().port}`, close: () => server.close() }
}

/**
 * The settings of a gateway process that only uses this name server. The gateway has no setting for that, and the
 * system's name servers cannot have a port, so its resolvers receive the address when they are created.
 */
export function asking({ address }: NameServer): NodeJS.ProcessEnv {
  const preloaded = `
    import dns from 'node:dns/promises'
    import { syncBuiltinESMExports } from 'node:module'
    dns.Resolver = class extends dns.Resolver {
      constructor(options) {
        super(options)
        this.setServers(['${address}'])
      }
    }
    syncBuiltinESMExports()`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preloaded)}` }
}
