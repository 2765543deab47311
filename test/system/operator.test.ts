// The first weeks of an operator who only has docs/operations.md, with real processes on PostgreSQL. Upgrades are in
// rolling-upgrade.test.ts.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  build,
  freshSettings,
  runCommand,
  send,
  type Settings,
  started,
  temporaryFolder,
} from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { freePort } from '../support/process/port.ts'
import { parseScrape } from '../support/scrape.ts'

const receiver = useReceiver()

vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

const PEOPLE = 20_000
/** Milliseconds within which an operator should notice an outage. */
const MINUTE = 60_000

async function ask(address: string, key: string, query: string, variables: Record<string, unknown> = {}) {
  const { status, body } = await send(address, key, query, variables)
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined })
  return body.data
}

/** Runs a command that succeeds. @returns its JSON. */
async function command(settings: Settings, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(settings, [...words, '--json'])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const trigger = (address: string, key: string, transactionId: string, subscriberIds: readonly string[]) =>
  ask(
    address,
    key,
    'mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { message } } }',
    {
      input: {
        name: 'invoice',
        transactionId,
        to: subscriberIds.map((subscriberId) => ({ subscriber: { subscriberId } })),
        payload: { amount: '12 €' },
      },
    },
  )

const setUp = `mutation ($url: String!) {
  createIntegration(input: {
    identifier: "mail", name: "Mail", channel: EMAIL, providerId: EMAIL_WEBHOOK, credentials: { webhookUrl: $url }
  }) { userErrors { message } }
  createWorkflow(input: {
    identifier: "invoice", name: "Invoice",
    steps: [{ email: { subject: "Invoice for {{subscriber.firstName}}", body: "Please pay {{payload.amount}}" } }]
  }) { userErrors { message } }
}`

/** The first environment captures messages until its mode is changed. */
const sendMessages = `mutation ($id: ID!) {
  updateEnvironment(input: { id: $id, sending: LIVE }) { userErrors { message } }
}`

const sentTo = () => receiver.received.filter(({ json }) => JSON.stringify(json).includes('Please pay')).length

describe.runIf(onServer)('on PostgreSQL (needs TEST_DATABASE_URL)', () => {
  test('an operator imports, sees an outage, rotates the key, erases a person, backs up and restores', async () => {
    const [old, recent] = [newKeyRing(), newKeyRing()]
    const [oldKey = '', recentKey = ''] = [old, recent].map((ring, index) => ring.replace(/^[^:]+/, `k${index + 1}`))
    const folder = await temporaryFolder()
    const metricsPort = await freePort()
    const installation = { ...(await freshSettings()), ALLOW_PRIVATE_ADDRESSES: 'on', METRICS_PORT: metricsPort }
    const before = { ...installation, ENCRYPTION_KEYS: oldKey }

    // Installs the gateway, and imports all subscribers.
    const first = await started(before)
    const [key = ''] = first.keys
    const file = path.join(folder, 'people.csv')
    const lines = Array.from({ length: PEOPLE }, (_, n) => `person-${n},Ada ${n},person-${n}@example.com`)
    await writeFile(file, ['subscriberId,firstName,email', ...lines, ''].join('\n'))
    const imported = await command(before, 'import', 'subscribers', file, '--environment', 'Development')
    expect(imported).toMatchObject({ created: PEOPLE, failed: 0 })
    await ask(first.address, key, setUp, { url: receiver.url })
    const { environment } = await ask(first.address, key, '{ environment { id } }')
    await ask(first.address, key, sendMessages, environment)

    // Notices in the log and the metrics that the provider is down, and that it has recovered.
    receiver.answer(503)
    await trigger(first.address, key, 'outage', [
      'person-1',
      'person-2',
      'person-3',
      'person-4',
      'person-5',
      'person-6',
    ])
    const retried = 'notification_gateway_attempts_total{channel="email",provider="email-webhook",outcome="retried"}'
    const metrics = async () => parseScrape(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())
    await vi.waitFor(() => expect(first.gateway.output()).toMatch(/"msg":"provider failing"/), { timeout: MINUTE })
    expect((await metrics()).get(retried)).toBeGreaterThanOrEqual(5)
    receiver.answer(200)
    await vi.waitFor(() => expect(first.gateway.output()).toMatch(/"msg":"provider recovered"/), {
      timeout: 2 * MINUTE,
    })

    // Rotates the encryption key, with the steps of the documentation.
    expect(await first.gateway.kill('SIGTERM')).toBe(0)
    for (const ring of [`${oldKey},${recentKey}`, `${recentKey},${oldKey}`]) {
      const both = { ...installation, ENCRYPTION_KEYS: ring }
      const { gateway } = await started(both)
      if (ring.startsWith(recentKey)) await command(both, 'reencrypt')
      expect(await gateway.kill('SIGTERM')).toBe(0)
    }
    const after = { ...installation, ENCRYPTION_KEYS: recentKey }
    const { gateway, address } = await started(after)
    const sent = sentTo()
    await trigger(address, key, 'rotated', ['person-7'])
    await vi.waitFor(() => expect(sentTo()).toBeGreaterThan(sent), { timeout: MINUTE })

    // Erases a person, and checks that a backup made afterwards contains no trace.
    await command(after, 'erase', 'subscriber', 'person-7', '--environment', 'Development', '--wait')
    const backup = path.join(folder, 'gateway.backup')
    await command(after, 'backup', backup)
    expect(gunzipSync(await readFile(backup)).toString()).not.toMatch(/person-7(?!\d)|Ada 7(?!\d)/)

    // Restores into an embedded database on another machine, which has all other subscribers.
    const elsewhere = { DATA_DIR: path.join(folder, 'elsewhere'), ENCRYPTION_KEYS: recentKey, METRICS_PORT: 'off' }
    await command(elsewhere, 'restore', backup)
    const restored = await started(elsewhere)
    const count = '{ subscribers(filter: { search: "person-1234" }) { totalCount } }'
    for (const at of [address, restored.address]) {
      expect(await ask(at, key, count)).toEqual({ subscribers: { totalCount: 11 } })
      expect(await ask(at, key, '{ subscriber(subscriberId: "person-7") { id } }')).toEqual({ subscriber: null })
    }
    for (const each of [gateway, restored.gateway]) expect(await each.kill('SIGTERM')).toBe(0)
  })
})
