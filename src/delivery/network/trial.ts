// A stand-in for the network, which shows how far an attempt comes and sends nothing.
import { type Outbound, Unreachable } from './outbound.ts'

/** The host to which an attempt connects. */
export interface ProviderAddress {
  readonly host: string
  readonly port: number
  /** True if a connection begins with TLS. */
  readonly tls: boolean
}

/**
 * Creates an outbound whose requests and connections all fail before they are opened.
 *
 * @param reached called with each address. May throw Unreachable, which the attempt receives.
 */
export function createTrial(reached: (address: ProviderAddress) => void): Outbound {
  const stop = async (address: ProviderAddress): Promise<never> => {
    await Promise.resolve()
    reached(address)
    throw new Unreachable('nothing is sent', true)
  }
  return {
    timeout: 1_000,
    request({ url }) {
      const { hostname, port, protocol } = new URL(url)
      const tls = protocol === 'https:'
      return stop({ host: hostname, port: Number(port) || (tls ? 443 : 80), tls })
    },
    fetchBytes: () => Promise.reject(new Unreachable('nothing is fetched', true)),
    assertReachable: () => undefined,
    connect: (host, port) => stop({ host, port, tls: port === 465 }),
    beforeClose: () => undefined,
    close: () => Promise.resolve(),
  }
}
