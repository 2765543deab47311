// The client address, which selects the rate limit bucket of callers without a key.
import { describe, expect, test } from 'vitest'
import { clientAddress } from '../../src/http/client-address.ts'
import { useWorld } from '../support/world.ts'

const proxy = '10.0.0.1'

function from(forwarded: string | undefined, proxies: number): string | undefined {
  const headers: HeadersInit = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return clientAddress(new Request('http://gateway.test/graphql', { headers }), proxy, proxies)
}

describe('the client address', () => {
  test.each([
    ['without proxies is that of the connection, whatever the caller writes', '192.0.2.1', 0, proxy],
    ['is what the only proxy adds', '192.0.2.1', 1, '192.0.2.1'],
    ['may be of IPv6', '2001:db8::1', 1, '2001:db8::1'],
    ['is not what the caller writes before that', '198.51.100.7, 192.0.2.1', 1, '192.0.2.1'],
    ['is what the first of two proxies adds', '198.51.100.7,192.0.2.1,10.0.0.2', 2, '192.0.2.1'],
    ['is that of the connection when a proxy is missing', '192.0.2.1', 2, proxy],
    ['is that of the connection when no proxy says anything', undefined, 1, proxy],
    ['is that of the connection when it is no address', 'unknown', 1, proxy],
  ])('%s', (_what, forwarded, proxies, address) => {
    expect(from(forwarded, proxies)).toBe(address)
  })
})

describe('rate limits behind a proxy', () => {
  const world = useWorld({ rates: { trigger: 1, configuration: 1, global: 1 }, trustedProxies: 1 })

  test.each(['/v2/subscribers', '/graphql', '/nothing'])(
    'are separate for each address without a key at %s',
    async (path) => {
      world.setClock(new Date('2027-03-01T12:00:00Z'))
      const guess = async (address: string) => {
        const headers = { 'x-forwarded-for': `203.0.113.9, ${address}`, accept: 'application/json' }
        return (await world.app.fetch(new Request(`http://gateway.test${path}`, { headers }), { address: proxy }))
          .status
      }
      while ((await guess('192.0.2.1')) !== 429);
      expect(await guess('192.0.2.2')).not.toBe(429)
    },
  )
})
