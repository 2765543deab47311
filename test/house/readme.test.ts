// The documentation, checked against the code: its queries and commands run, its links and names resolve.
import { parse, validate } from 'graphql'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { variables } from '../../src/config.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { useWorld } from '../support/world.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const pagesIn = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

/** The pages with snippets, in the order in which they build on each other. */
const story = [
  'README.md',
  'docs/graphql.md',
  'docs/delivery.md',
  'docs/unsubscribe.md',
  'docs/reports.md',
  'docs/suppression.md',
  'docs/webhooks.md',
  'docs/rest.md',
  'docs/moving.md',
  'docs/browser-sessions.md',
  'docs/inbox.md',
  'docs/clients.md',
  'docs/providers.md',
  'docs/operations.md',
  'docs/command-line.md',
  'docs/dashboard.md',
  'docs/performance.md',
  'docs/scale.md',
  'docs/why-not.md',
]
const everyPage = [...story, ...pagesIn('docs/decisions'), 'CONTRIBUTING.md', 'CHANGELOG.md']

const MAX_README_LINES = 240

/** The address at which readers of the README listen for a webhook. */
const LISTENER = '127.0.0.1:4000'
const GATEWAY = 'http://127.0.0.1:3000'

/** The code blocks of a page, in order. */
const blocksOf = (page: string) =>
  [...read(page).matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({ language, code }))

interface Call {
  readonly line: string
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** The words of a shell command, without their quotes. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '')

/** Parses a `curl` command. */
function curled(line: string): Call {
  const [, ...words] = wordsOf(line)
  const call = { method: 'GET', target: '', body: undefined as string | undefined }
  const headers: Record<string, string> = {}
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H') {
      const [name = '', value = ''] = (words.shift() ?? '').split(': ')
      headers[name.toLowerCase()] = value
    } else if (word === '-d') Object.assign(call, { method: 'POST', body: words.shift() })
    else if (!word.startsWith('-s')) call.target = word.replace(GATEWAY, '')
  }
  return { line, headers, ...call }
}

/** Parses a call of the shell function `api`, which docs/rest.md defines. */
function called(line: string): Call {
  const [, method = '', target = '', body] = wordsOf(line)
  const json = { authorization: 'ApiKey $KEY', 'content-type': 'application/json' }
  return { line, method, target, headers: json, body }
}

/** The requests in a block of shell commands. */
function callsIn(code: string): Call[] {
  const lines = code.replaceAll('\\\n', '').split('\n')
  return lines.flatMap((line) => {
    if (line.startsWith('curl ')) return [curled(line)]
    return line.startsWith('api ') ? [called(line)] : []
  })
}

/** The anchors that GitHub generates from the headings of a page. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** The reason why a link is broken, or undefined if it works. */
function brokenLink(page: string, link: string): string | undefined {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
  if (!existsSync(path.join(root, target))) return `${page}: ${link} is not there`
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return undefined
  return `${page}: ${target} has no heading #${anchor}`
}

describe('the documentation', () => {
  const world = useWorld()
  const receiver = useReceiver()
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  })

  /** Sends the request of a command and runs the jobs that it creates. */
  async function send({ line, method, target, headers, body }: Call): Promise<void> {
    const { key } = world.development
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('$KEY', key)]))
    if (/^\/v\d\//.test(target)) {
      const request = { ...(body === undefined ? {} : { body }), headers: sent }
      const { status } = await world.development.rest(`${method} ${target as `/${string}`}`, request)
      const isTrigger = target === '/v1/events/trigger'
      expect({ line, ok: isTrigger ? status === 201 : status >= 200 && status < 300 }).toEqual({ line, ok: true })
      if (isTrigger) await world.work()
      return
    }
    const url = `http://gateway.test${target}`
    const response = await world.app.fetch(new Request(url, { method, headers: sent, body: body ?? null }))
    expect({ line, status: response.status }).toEqual({ line, status: 200 })
    const type = response.headers.get('content-type')
    if (headers['accept'] === 'text/event-stream') {
      expect(type).toContain('text/event-stream')
      await response.body?.cancel()
    } else expect(await response.json()).not.toHaveProperty('errors')
  }

  test('has no page in docs/ that is not checked here', () => {
    expect(story.filter((page) => page.startsWith('docs/')).toSorted()).toEqual(pagesIn('docs').toSorted())
  })

  test.each(story)(
    'in %s shows queries with their actual results, and calls that work when they are pasted',
    async (page) => {
      receiver.answer(200, 'ok')
      // Readers begin in an environment that captures messages. docs/delivery.md has them change that in the dashboard.
      const sending = page === 'README.md' ? 'capture' : 'live'
      await world.database.client.environment.updateMany({ where: { type: 'dev' }, data: { sending } })
      world.gateway.callers.sending.clear()
      const blocks = blocksOf(page)
      for (const [index, { language, code }] of blocks.entries()) {
        if (language === 'sh') {
          for (const call of callsIn(code)) await send(call)
        } else if (code.startsWith('subscription')) {
          expect(validate(schema, parse(code))).toEqual([])
        } else if (language === 'graphql') {
          const { data, errors } = await world.development.send(code.replaceAll(LISTENER, `127.0.0.1:${receiver.port}`))
          expect(errors).toEqual([])
          expect({ data }).toEqual(JSON.parse(blocks[index + 1]?.code ?? ''))
        }
      }
    },
  )

  test('writes every call in a form that these tests can run', () => {
    const calls = story.flatMap((page) => blocksOf(page).flatMap(({ code }) => callsIn(code)))
    const shown = story.flatMap((page) => read(page).match(/^(?:api [A-Z]|curl )/gm) ?? [])
    expect(calls).toHaveLength(shown.length)
    expect(calls.filter(({ target }) => !target.startsWith('/'))).toEqual([])
    expect(calls.length).toBeGreaterThan(10)
  })

  test('shows a back end and a browser page that work together to read a feed', async () => {
    const { environment } = await world.development.ask('{ environment { identifier } }')
    vi.stubEnv('KEY', world.development.key)
    vi.stubGlobal('identifier', environment.identifier)
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => world.app.fetch(new Request(url, init)))
    const programs = story.flatMap((page) => blocksOf(page).filter(({ language }) => language === 'js'))
    const [backEnd = '', page = '', ...others] = programs.map(({ code }) => code)
    expect(others).toEqual([])
    const program = `${backEnd}${page}export { data }`
    const { data } = await import(`data:text/javascript,${encodeURIComponent(program)}`)
    expect(data.session).toMatchObject({
      notificationCounts: { unread: 1 },
      notifications: { nodes: [{ body: '2.0 is out' }] },
    })
  })

  test('describes every setting and no others', () => {
    const described = [...read('docs/operations.md').matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name)
    expect(described).toEqual(variables)
    const examples = [...read('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(examples).toEqual(variables)
  })

  test('names commands and files that exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const text = everyPage.map(read).join('\n')
    const commands = [...text.matchAll(/`npm (?:run )?([a-z:]+)[^`]*`/g)].map(([, name]) => name)
    expect(commands.filter((name) => name !== undefined && !(name in scripts) && name !== 'ci')).toEqual([])
    // A file name with a placeholder does not exist, but its folder does.
    const files = [...text.matchAll(/`((?:src|test|prisma|bench|\.ci|\.config)\/[^` ]*)`/g)].map(([, file = '']) =>
      file.includes('<') ? path.dirname(file) : file,
    )
    const tree = [...read('CONTRIBUTING.md').matchAll(/^((?:src|test|prisma)\/\S*) {2}/gm)].map(([, file = '']) => file)
    expect(tree.length).toBeGreaterThan(10)
    expect([...files, ...tree].filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  })

  test('gives the commands that .ci/run runs', () => {
    for (const command of ['npm ci', 'npm run check', 'npm test', 'npm run test:system']) {
      expect(read('CONTRIBUTING.md')).toContain(command)
      expect(read('.ci/run')).toMatch(new RegExp(`^\\s*(?:if )?${command}\\b`, 'm'))
    }
    for (const command of ['npm ci', 'npm start', 'npm test']) expect(read('README.md')).toContain(command)
  })

  test('has a short README', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES)
  })

  test('has no broken links', () => {
    const broken = everyPage.flatMap((page) => {
      const prose = read(page).replaceAll(/^```.*?^```/gms, '')
      const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      return links.filter((link) => !/^https?:/.test(link)).flatMap((link) => brokenLink(page, link) ?? [])
    })
    expect(broken).toEqual([])
  })
})
