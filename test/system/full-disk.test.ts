// The embedded database on a full disk: prompt refusals, and normal operation once there is space again. Needs root, to
// mount a disk.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { build, send, started, temporaryFolder, until } from '../support/process/gateway-process.ts'

beforeAll(build, 120_000)

/** Bytes left on the full disk: just too few for the next segment of the write-ahead log, which has 16 MiB. */
const LEFT = 15 * 1024 * 1024

/** Text that the database cannot compress. */
const text = (size: number) => randomBytes(size).toString('base64')

/** A disk of its own. @returns undefined if this user cannot mount one. */
async function smallDisk(): Promise<string | undefined> {
  const folder = await temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  // Lazily, because the killed process may still be running.
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

/** Longer than a client waits for a health check, and shorter than a connection that never comes. */
const patience = () => AbortSignal.timeout(5_000)

const ready = async (address: string) => (await fetch(`${address}/ready`, { signal: patience() })).status

test(
  'a full disk causes 503 at once, /ready says so, and the process recovers when there is space',
  { timeout: 120_000 },
  async ({ skip }) => {
    const disk = await smallDisk()
    skip(disk === undefined, 'needs root, to mount a small disk')
    if (disk === undefined) return
    const { gateway, address, keys } = await started({ DATA_DIR: path.join(disk, 'data') })
    const [key = ''] = keys
    const write = async (subscriberId: string, size: number) => {
      const response = await fetch(`${address}/v2/subscribers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}` },
        body: JSON.stringify({ subscriberId, data: { text: text(size) } }),
        signal: patience(),
      })
      return { status: response.status, retryAfter: response.headers.get('retry-after') }
    }
    expect((await write('before', 100)).status).toBe(201)

    const { bavail, bsize } = await statfs(disk)
    const fill = path.join(disk, 'fill')
    await writeFile(fill, Buffer.alloc(bavail * bsize - LEFT))
    expect(await ready(address)).toBe(503)
    const acknowledged = ['before']
    const statuses = new Set<number>()
    // Until the database has failed, after which reads are refused too.
    for (let count = 0; ; count += 1) {
      const { status, retryAfter } = await write(`full-${count}`, 45_000)
      statuses.add(status)
      if (status === 201) acknowledged.push(`full-${count}`)
      else expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '5' })
      if (gateway.output().includes('"embedded database failed"')) break
    }
    expect(statuses).toContain(503)
    for (let count = 0; count < 3; count += 1) {
      expect(await ready(address)).toBe(503)
      expect(await write('while', 100)).toEqual({ status: 503, retryAfter: '5' })
    }
    expect((await fetch(`${address}/health`, { signal: patience() })).status).toBe(200)

    await rm(fill)
    await until(async () => ((await ready(address)) === 200 ? true : undefined))
    expect((await write('after', 100)).status).toBe(201)
    for (const subscriberId of [...acknowledged, 'after']) {
      const { body } = await send(address, key, `{ subscriber(subscriberId: "${subscriberId}") { subscriberId } }`)
      expect(body).toEqual({ data: { subscriber: { subscriberId } } })
    }

    expect(await gateway.kill('SIGTERM')).toBe(0)
  },
)

test('SIGTERM ends a process whose disk is full', { timeout: 120_000 }, async ({ skip }) => {
  const disk = await smallDisk()
  skip(disk === undefined, 'needs root, to mount a small disk')
  if (disk === undefined) return
  const { gateway, address, keys } = await started({ DATA_DIR: path.join(disk, 'data') })
  const { bavail, bsize } = await statfs(disk)
  await writeFile(path.join(disk, 'fill'), Buffer.alloc(bavail * bsize - LEFT))
  for (let count = 0; !gateway.output().includes('"embedded database failed"'); count += 1) {
    const input = { subscriberId: `full-${count}`, data: { text: text(45_000) } }
    const mutation =
      'mutation ($input: CreateSubscriberInput!) { createSubscriber(input: $input) { userErrors { code } } }'
    await send(address, keys[0] ?? '', mutation, { input })
  }
  expect(await gateway.kill('SIGTERM')).toBe(0)
  expect(gateway.output()).not.toContain('shutdown timeout')
})
