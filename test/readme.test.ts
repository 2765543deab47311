// The README, held to what it says.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse, validate } from 'graphql'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { variables } from '../src/config.ts'
import { schema } from '../src/graphql/schema.ts'
import { useReceiver } from './delivery/receiver.ts'
import { useWorld } from './support/world.ts'

const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const readme = read('README.md')

/** Its blocks of code, in their order. */
const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({
  language,
  code,
}))

/** Where the README has its reader listen for a webhook. */
const LISTENER = '127.0.0.1:4000'

describe('the README', () => {
  const world = useWorld()
  const receiver = useReceiver()
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  })

  test('shows queries that give the answers that it shows, in its order', async () => {
    receiver.answer(200, 'ok')
    for (const [index, { language, code }] of blocks.entries()) {
      const trigger = language === 'sh' ? /events\/trigger .* -d '(.*)'/s.exec(code)?.[1] : undefined
      if (trigger !== undefined) {
        const { status } = await world.development.rest('POST /v1/events/trigger', { body: trigger })
        expect(status).toBe(201)
        await world.work()
      } else if (code.startsWith('subscription')) {
        expect(validate(schema, parse(code))).toEqual([])
      } else if (language === 'graphql') {
        const { data, errors } = await world.development.send(code.replaceAll(LISTENER, `127.0.0.1:${receiver.port}`))
        expect(errors).toEqual([])
        expect({ data }).toEqual(JSON.parse(blocks[index + 1]?.code ?? ''))
      }
    }
  })

  test('shows calls over REST that work as they are pasted, in its order', async () => {
    const calls = [...readme.matchAll(/^api ([A-Z]+) '?(\/[^ '\n]+)'?(?: '(.*)')?$/gm)]
    expect(calls).toHaveLength(readme.match(/^api /gm)?.length ?? 0)
    for (const [line, method = '', path = '', body] of calls) {
      const { status } = await world.development.rest(
        `${method} ${path as `/${string}`}`,
        body === undefined ? {} : { body },
      )
      expect({ line, ok: status >= 200 && status < 300 }).toEqual({ line, ok: true })
    }
  })

  test('shows a back end that signs, and a page that reads the feed with its session', async () => {
    const { environment } = await world.development.ask('{ environment { identifier } }')
    vi.stubEnv('KEY', world.development.key)
    vi.stubGlobal('identifier', environment.identifier)
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => world.app.fetch(new Request(url, init)))
    const [backEnd = '', page = ''] = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code)
    const program = `${backEnd}${page}export { data }`
    const { data } = await import(`data:text/javascript,${encodeURIComponent(program)}`)
    expect(data.session).toMatchObject({
      notificationCounts: { unread: 1 },
      notifications: { nodes: [{ body: '2.0 is out' }] },
    })
  })

  test('describes every setting, and no other', () => {
    const described = [...readme.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name)
    expect(described).toEqual(variables)
    const examples = [...read('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(examples).toEqual(variables)
  })

  test('names commands and files that exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const commands = [...readme.matchAll(/`npm (?:run )?([a-z]+)[^`]*`/g)].map(([, name]) => name)
    expect(commands.filter((name) => name !== undefined && !(name in scripts) && name !== 'ci')).toEqual([])
    // The noun that is added in the example is not there.
    const files = [...readme.matchAll(/`((?:src|test|prisma)\/(?!.*segment)[^`]*)`/g)].map(([, file = '']) => file)
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  })

  test('gives the commands that .ci/run runs', () => {
    for (const command of ['npm ci', 'npm run check', 'npm test']) {
      expect(readme).toContain(command)
      expect(read('.ci/run')).toMatch(new RegExp(`^\\s*(?:if )?${command}\\b`, 'm'))
    }
  })
})
