// Host names: the gateway sends queries itself, so that a name server that does not respond delays only its own names.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createNameResolver } from '../../../src/delivery/network/name-resolver.ts'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const receiver = useReceiver()
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

const A = 1
const AAAA = 28
const addresses: Readonly<Record<number, Buffer>> = {
  [A]: Buffer.from([127, 0, 0, 1]),
  [AAAA]: Buffer.from('00000000000000000000000000000001', 'hex'),
}

/** Reads the name and the type of a query. */
function readQuery(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

interface Zone {
  /** The record types of a name. Undefined if the name does not exist, null if the server does not respond. */
  readonly typesOf: (name: string) => readonly number[] | null | undefined
  readonly ttl?: number
}

/** A name server on loopback. */
async function nameServer({ typesOf, ttl = 60 }: Zone) {
  const asked: string[] = []
  const server = createSocket('udp4')
  server.on('message', (query, client) => {
    const { name, type, end } = readQuery(query)
    if (type === A) asked.push(name)
    const types = typesOf(name)
    if (types === null) return
    const record = types?.includes(type) ? addresses[type] : undefined
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(types === undefined ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(record === undefined ? 0 : 1, 6)
    const fields = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, ttl, 0, record?.length ?? 0])
    const answer = record === undefined ? [] : [fields, record]
    server.send(Buffer.concat([header, query.subarray(12, end), ...answer]), client.port, client.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise<void>((closed) => server.close(() => closed())))
  return { servers: [`127.0.0.1:${server.address().port}`], asked }
}

/** Responds for every name except those in `slow.test`. */
const usual: Zone = {
  typesOf(name) {
    if (name.endsWith('slow.test')) return null
    return name.endsWith('missing.test') ? undefined : [A, AAAA]
  },
}

const files = { hosts: '/nonexistent', resolvConf: '/nonexistent' }
const both = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
const codeOf = (asking: Promise<unknown>) =>
  asking.then(
    () => 'none',
    (error: unknown) => (error as { code?: string }).code,
  )

/** The state of a promise, without waiting for it. */
const isPending = async (asking: Promise<unknown>) =>
  (await Promise.race([asking.catch(() => undefined), Promise.resolve('pending')])) === 'pending'

describe('a name server that does not answer', () => {
  test('for one environment delays no other environment and no other name of the same environment', async () => {
    const { servers } = await nameServer(usual)
    const names = createNameResolver({ servers, files, longest: 500 })
    const dead = Array.from({ length: 10 }, (_, i) => names.resolve(`a${i}.slow.test`, 'acme'))
    const ended = Promise.allSettled(dead)
    expect(await names.resolve('globex.test', 'globex')).toEqual(both)
    expect(await names.resolve('acme.test', 'acme')).toEqual(both)
    expect(await Promise.all(dead.map(isPending))).not.toContain(false)
    expect((await ended).map(({ status }) => status)).not.toContain('fulfilled')
  })

  test('gets only a few lookups of one environment at a time', async () => {
    const { servers, asked } = await nameServer(usual)
    const names = createNameResolver({ servers, files, longest: 300 })
    const dead = Promise.allSettled(Array.from({ length: 20 }, (_, i) => names.resolve(`a${i}.slow.test`, 'acme')))
    expect(await names.resolve('globex.test', 'globex')).toEqual(both)
    expect(new Set(asked.filter((name) => name.endsWith('slow.test'))).size).toBeLessThanOrEqual(16)
    await dead
    expect(new Set(asked.filter((name) => name.endsWith('slow.test'))).size).toBe(20)
  })

  test('delays no message of another environment, over HTTP and over SMTP', async () => {
    const { servers } = await nameServer(usual)
    const names = createNameResolver({ servers, files, longest: 500 })
    const outbound = createOutbound({ allowPrivateAddresses: true, names })
    closing.push(() => outbound.close())
    const post = (host: string, environmentId: string) =>
      outbound.request({
        environmentId,
        method: 'POST',
        url: `http://${host}:${receiver.port}/`,
        headers: {},
        body: '',
      })
    const dead = Array.from({ length: 20 }, (_, i) => post(`a${i}.slow.test`, 'acme'))
    dead.push(...Array.from({ length: 20 }, (_, i) => post(`b${i}.slow.test`, 'acme')))
    const ended = Promise.allSettled(dead)
    expect(await post('globex.test', 'globex')).toMatchObject({ status: 200 })
    const socket = await outbound.connect('globex.test', receiver.port, 'globex')
    socket.destroy()
    expect(await Promise.all(dead.map(isPending))).not.toContain(false)
    const reasons = (await ended).map((one) => (one.status === 'rejected' ? String(one.reason) : 'delivered'))
    expect(new Set(reasons.map((reason) => reason.replace(/[ab]\d+/, 'x')))).toEqual(
      new Set([`Unreachable: x.slow.test:${receiver.port} cannot be reached: EAI_AGAIN`]),
    )
  })
})

describe('an answer', () => {
  test('is kept for its time to live, between five seconds and five minutes', async () => {
    for (const [ttl, kept] of [
      [60, 60_000],
      [0, 5_000],
    ] as const) {
      const { servers, asked } = await nameServer({ ...usual, ttl })
      let now = 0
      const names = createNameResolver({ servers, files, now: () => now })
      await names.resolve('acme.test')
      now = kept - 1
      await names.resolve('ACME.test')
      expect(asked).toEqual(['acme.test'])
      now = kept
      expect(names.knows('acme.test')).toBe(true)
      await names.resolve('acme.test')
      expect(asked).toEqual(['acme.test', 'acme.test'])
    }
  })

  test('about a name that does not exist is kept for five seconds', async () => {
    const { servers, asked } = await nameServer(usual)
    let now = 0
    const names = createNameResolver({ servers, files, now: () => now })
    expect(await codeOf(names.resolve('missing.test'))).toBe('ENOTFOUND')
    now = 4_999
    expect(await codeOf(names.resolve('missing.test'))).toBe('ENOTFOUND')
    expect(asked).toHaveLength(1)
    now = 5_000
    expect(await codeOf(names.resolve('missing.test'))).toBe('ENOTFOUND')
    expect([asked.length, names.knows('missing.test')]).toEqual([2, false])
  })

  test('is shared by lookups at the same time', async () => {
    const { servers, asked } = await nameServer(usual)
    const names = createNameResolver({ servers, files })
    await Promise.all(Array.from({ length: 5 }, (_, i) => names.resolve('acme.test', `environment ${i}`)))
    expect(asked).toEqual(['acme.test'])
  })

  test.each([
    ['IPv4', [A], [both[0]]],
    ['IPv6', [AAAA], [both[1]]],
  ])('may have addresses of %s only', async (_, types, expected) => {
    const { servers } = await nameServer({ typesOf: () => types })
    expect(await createNameResolver({ servers, files }).resolve('acme.test')).toEqual(expected)
  })
})

describe('the files of the operating system', () => {
  async function writeFiles(hosts: string, resolvConf = '') {
    const folder = await mkdtemp(path.join(tmpdir(), 'gateway-names-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const written = { hosts: path.join(folder, 'hosts'), resolvConf: path.join(folder, 'resolv.conf') }
    await writeFile(written.hosts, hosts)
    await writeFile(written.resolvConf, resolvConf)
    return written
  }

  test('resolve hosts without a name server, also after they were changed', async () => {
    const { servers, asked } = await nameServer(usual)
    const written = await writeFiles('# relays\n10.0.0.5  Relay relay.internal # old\nfd00::5 relay\n')
    const names = createNameResolver({ servers, files: written })
    expect(await names.resolve('relay')).toEqual([
      { address: '10.0.0.5', family: 4 },
      { address: 'fd00::5', family: 6 },
    ])
    expect(await names.resolve('RELAY.internal.')).toEqual([{ address: '10.0.0.5', family: 4 }])
    await writeFile(written.hosts, '10.0.0.6 relay\n')
    await utimes(written.hosts, 1, 1)
    expect(await names.resolve('relay')).toEqual([{ address: '10.0.0.6', family: 4 }])
    expect(asked).toEqual([])
  })

  test.each(['localhost', 'mail.localhost'])('may lack %s', async (name) => {
    const { servers, asked } = await nameServer(usual)
    expect(await createNameResolver({ servers, files }).resolve(name)).toEqual(both)
    expect(asked).toEqual([])
  })

  test('list the domains in which a short name is looked up', async () => {
    const { servers, asked } = await nameServer({
      typesOf: (name) => (name.endsWith('relay.mail.cluster.test') || name === 'a.b.test' ? [A] : undefined),
    })
    const conf = 'nameserver 127.0.0.1\nsearch web.cluster.test cluster.test\noptions ndots:2 timeout:1\n'
    const names = createNameResolver({ servers, files: await writeFiles('', conf) })
    expect(await names.resolve('relay.mail')).toEqual([both[0]])
    expect(await names.resolve('a.b.test')).toEqual([both[0]])
    expect(await codeOf(names.resolve('relay.mail.'))).toBe('ENOTFOUND')
    expect(asked).toEqual(['relay.mail.web.cluster.test', 'relay.mail.cluster.test', 'a.b.test', 'relay.mail'])
  })
})
