// The programs in docs/clients.md, run exactly as they are in the document.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type HttpServer, startHttpServer } from '../../src/http/node-server.ts'
import { notify } from '../support/feed.ts'
import { until } from '../support/process/gateway-process.ts'
import { useWorld } from '../support/world.ts'

const root = path.join(import.meta.dirname, '../..')
const page = readFileSync(path.join(root, 'docs/clients.md'), 'utf8')

/** The programs by their headings. */
const programs = page.split(/^## /m).flatMap((section): [string, string][] => {
  const [, code] = /^```javascript\n(.*?)^```/ms.exec(section) ?? []
  return code === undefined ? [] : [[section.split('\n', 1)[0] ?? '', code]]
})

/** The clients in the table, with their capabilities. */
const rows = [...page.matchAll(/^\| \[([^\]]+)\].*?\| (\S+) .*?\| (\S+)/gm)].map(
  ([, client, queries, subscriptions]) => ({
    client,
    queries: queries !== 'no',
    subscriptions: subscriptions !== 'none',
  }),
)

const world = useWorld()
let server: HttpServer

beforeAll(async () => {
  server = await startHttpServer(world.app.fetch, '127.0.0.1', 0, world.app.upgrade)
  return () => server.close()
})

/** Runs a program until the test ends. @returns what it has printed so far. */
function run(code: string, key: string): () => string {
  // The folder in which its imports are found.
  const parent = path.join(root, 'node_modules/.programs')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(path.join(parent, 'program-'))
  const file = path.join(folder, 'program.mjs')
  writeFileSync(file, code.replaceAll('127.0.0.1:3000', new URL(server.address).host))
  let printed = ''
  // Node.js 20 has WebSocket only with the flag.
  const child = spawn(process.execPath, ['--experimental-websocket', file], {
    env: { KEY: key, NODE_ENV: 'production' },
  })
  for (const output of [child.stdout, child.stderr]) output.on('data', (text: Buffer) => (printed += text.toString()))
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  return () => printed
}

describe('the page of clients', () => {
  test('has a program for each client that it names', () => {
    expect(rows.map(({ client }) => client)).toEqual(programs.map(([client]) => client))
    expect(rows.length).toBeGreaterThan(5)
  })

  test.each(programs)('has a working program for %s', async (name, code) => {
    const row = rows.find(({ client }) => client === name)
    const acme = await world.environment()
    await acme.act('createSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
    const printed = run(code, acme.key)
    /** Waits for a line. Fails with everything that was printed if the program prints an error. */
    const prints = (line: string) =>
      until(async () => {
        expect(printed()).not.toMatch(/error/i)
        return printed().split('\n').includes(line) ? true : undefined
      })
    if (row?.queries === true) await prints('Ada')
    if (row?.subscriptions === true) {
      await prints('unread: 0')
      await notify(world, acme, { subscriberId: 'ada' })
      await prints('unread: 1')
    }
  })
})
