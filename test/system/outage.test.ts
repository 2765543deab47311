// What a running process logs during a PostgreSQL outage.
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { build, freshSettings, started, until } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { openProxy } from '../support/process/proxy.ts'

vi.setConfig({ testTimeout: 120_000 })
beforeAll(build, 120_000)

/** Seconds of the outage, and requests in each of them. */
const OUTAGE = { seconds: 8, rate: 40 } as const

/** Data from clients and the database password must not appear in the log. */
const secret = 'a-secret-that-a-caller-sent'

describe.runIf(onServer)('an outage of eight seconds at 40 requests a second (needs TEST_DATABASE_URL)', () => {
  test('takes at most 10 lines in the log, which contain the number of rejected requests and no secrets', async () => {
    const settings = await freshSettings()
    const proxy = await openProxy(settings['DATABASE_URL'] ?? '')
    onTestFinished(() => proxy.close())
    const { gateway, address, keys } = await started({ ...settings, DATABASE_URL: proxy.url })
    const [key = ''] = keys
    const lines = () =>
      gateway
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
    const before = lines().length

    /** @returns the status. Reads and writes through both doors. */
    const ask = async (index: number) => {
      const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json', 'x-secret': secret }
      const subscriberId = `${secret}-${index}`
      const query = index % 2 === 0 ? '{ environment { name } }' : '{ subscribers { totalCount } }'
      const { status } = await (index % 4 < 2
        ? fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
        : fetch(`${address}/v2/subscribers`, { method: 'POST', headers, body: JSON.stringify({ subscriberId }) }))
      return status
    }
    proxy.cut()
    const statuses: Promise<number>[] = []
    const isReady: Promise<boolean>[] = []
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        statuses.push(ask(statuses.length))
        if (statuses.length % OUTAGE.rate === 0) isReady.push(fetch(`${address}/ready`).then(({ ok }) => ok))
        if (statuses.length < OUTAGE.seconds * OUTAGE.rate) return
        clearInterval(timer)
        resolve()
      }, 1000 / OUTAGE.rate)
    })
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([503]))
    expect(new Set(await Promise.all(isReady))).toEqual(new Set([false]))
    proxy.mend()
    await until(async () => ((await fetch(`${address}/ready`)).ok ? true : undefined))
    await gateway.prints(/"msg":"LISTEN connection restored"/)
    await gateway.prints(/"msg":"database available again"/)

    const outage = lines().slice(before)
    const messages = outage.map((line) => String(JSON.parse(line).msg))
    expect(messages.length, messages.join('\n')).toBeLessThanOrEqual(10)
    const ended = JSON.parse(outage.find((line) => line.includes('"database available again"')) ?? '')
    expect(ended.counted).toMatchObject({ 'request answered with 503': statuses.length })
    expect(Math.max(...outage.map((line) => Buffer.byteLength(line)))).toBeLessThan(4_000)
    for (const hidden of [secret, key, 'connectionParameters', 'password']) expect(outage.join()).not.toContain(hidden)
  })
})
