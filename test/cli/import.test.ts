// import and export: subscribers, topics and subscriptions, as CSV and JSON Lines.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveCommands } from '../../src/cli/serve.ts'
import { commandLineOf } from '../support/command-line.ts'
import { temporaryFolder, until } from '../support/process/gateway-process.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)

let count = 0
/** Creates an empty environment. @returns its name for the command line, and a client. */
async function emptyEnvironment() {
  const name = `Import-${(count += 1)}`
  return { name, client: await world.environment(name) }
}

const into = (noun: string, environment: string) => `import ${noun} --environment ${environment} --json`

const subscriberOf = async (client: Client, subscriberId: string) =>
  (
    await client.ask(
      'query ($id: String!) { subscriber(subscriberId: $id) { firstName lastName email phone locale timezone data } }',
      { id: subscriberId },
    )
  ).subscriber

describe('import subscribers', () => {
  test('creates the subscribers of a CSV file, and updates them when it runs again', async () => {
    const { name, client } = await emptyEnvironment()
    const stdin = [
      'subscriberId,firstName,email,data',
      'ada,Ada,ada@example.com,"{""plan"":""pro""}"',
      '"grace, h.","Grace ""Amazing""",,',
      '',
    ].join('\n')
    const result = { created: 2, updated: 0, failed: 0, dryRun: false, failures: [] }
    expect(await run(into('subscribers', name), { stdin })).toMatchObject({ code: 0, json: result })
    expect(await subscriberOf(client, 'ada')).toMatchObject({ firstName: 'Ada', data: { plan: 'pro' } })
    expect(await subscriberOf(client, 'grace, h.')).toMatchObject({ firstName: 'Grace "Amazing"', email: null })
    expect((await run(into('subscribers', name), { stdin })).json).toEqual({ ...result, created: 0, updated: 2 })
  })

  test('reads the output of spreadsheets: a byte order mark, CRLF, quotes, line breaks in cells and empty lines', async () => {
    const { name, client } = await emptyEnvironment()
    const stdin = '\uFEFFsubscriberId, firstName \r\n"ada","Ada\r\nLovelace"\r\n\r\ngrace,Grace'
    const { code, json } = await run(into('subscribers', name), { stdin })
    expect({ code, created: json.created }).toEqual({ code: 0, created: 2 })
    expect(await subscriberOf(client, 'ada')).toMatchObject({ firstName: 'Ada\r\nLovelace' })
  })

  test.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ])('reads spreadsheets with the separator %j', async (separator) => {
    const { name, client } = await emptyEnvironment()
    const rows = [
      ['subscriberId', 'firstName', 'data'],
      ['ada', `"Ada, ${separator} Countess"`, '"{""a"":[1,2]}"'],
    ]
    const stdin = rows.map((cells) => cells.join(separator)).join('\r\n')
    expect(await run(into('subscribers', name), { stdin })).toMatchObject({ code: 0, json: { created: 1 } })
    expect(await subscriberOf(client, 'ada')).toMatchObject({
      firstName: `Ada, ${separator} Countess`,
      data: { a: [1, 2] },
    })
  })

  test('reads a JSON array element by element, in chunks of any size', async () => {
    const ada = { firstName: 'brackets ]}, a quote " and \\', data: { list: [1, { deep: ['x'] }] } }
    const elements = [
      { subscriberId: 'ada', ...ada },
      ['no object'],
      { subscriberId: 'grace', nickname: 'G' },
      { subscriberId: 'joan' },
    ]
    const text = Buffer.from(`\uFEFF${JSON.stringify(elements, undefined, 2)}\n`)
    for (const size of [1, 7, text.length]) {
      const { name, client } = await emptyEnvironment()
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, part) =>
        text.subarray(part * size, (part + 1) * size),
      )
      const { code, json, stderr } = await run(into('subscribers', name), { stdin: Readable.from(chunks) })
      expect({ code, created: json.created, failed: json.failed }).toEqual({ code: 1, created: 2, failed: 2 })
      expect(stderr).toMatch(/^element 2: the element must be a JSON object\nelement 3: "nickname" is unknown: .*\n$/)
      expect(await subscriberOf(client, 'ada')).toMatchObject(ada)
    }
  })

  test.each([
    ['[{"subscriberId":"ada"}', 'the JSON array is not closed: the file is incomplete\n'],
    ['[{"subscriberId":"ada"}] more', 'the file has text after the JSON array\n'],
  ])('rejects the JSON array %s', async (stdin, message) => {
    const { name } = await emptyEnvironment()
    const { code, stderr } = await run(into('subscribers', name), { stdin })
    expect({ code, stderr }).toEqual({ code: 1, stderr: message })
  })

  test('reads an empty JSON array', async () => {
    const { name } = await emptyEnvironment()
    expect((await run(into('subscribers', name), { stdin: ' [ ]\n' })).json).toMatchObject({ created: 0, failed: 0 })
  })

  test('leaves a field with an empty cell unchanged; null in JSON Lines clears it', async () => {
    const { name, client } = await emptyEnvironment()
    await run(into('subscribers', name), { stdin: 'subscriberId,firstName,lastName\nada,Ada,Lovelace\n' })
    await run(into('subscribers', name), { stdin: 'subscriberId,firstName,lastName\nada,Augusta,\n' })
    expect(await subscriberOf(client, 'ada')).toMatchObject({ firstName: 'Augusta', lastName: 'Lovelace' })
    await run(into('subscribers', name), { stdin: '{"subscriberId":"ada","lastName":null}\n' })
    expect(await subscriberOf(client, 'ada')).toMatchObject({ firstName: 'Augusta', lastName: null })
  })

  test('reports each invalid line with its number and field, and imports the others', async () => {
    const { name, client } = await emptyEnvironment()
    const stdin = [
      'subscriberId,email,locale,data',
      'one,one@example.com,en-US,{}',
      'two,no address,en-US,{}',
      ',three@example.com,,',
      'four,four@example.com,en-US,{no JSON}',
      'five,five@example.com',
      'six,six@example.com,klingon language,',
      'seven,seven@example.com,,',
    ].join('\n')
    const { code, json, stderr } = await run(into('subscribers', name), { stdin })
    expect(code).toBe(1)
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      'line 3: email must be an email address',
      'line 4: subscriberId is required',
      'line 5: data must be JSON',
      'line 6: the line has 2 fields, the header has 4',
      'line 7: locale must be a BCP 47 locale, such as en-US or en_US',
    ])
    expect(json).toMatchObject({ created: 2, failed: 5 })
    expect(json.failures[0]).toEqual({ line: 3, message: 'email must be an email address' })
    expect(await subscriberOf(client, 'seven')).toMatchObject({ email: 'seven@example.com' })
  })

  test('reports invalid lines of JSON Lines', async () => {
    const { name } = await emptyEnvironment()
    const lines = [
      '{"subscriberId":"one"}',
      '{"subscriberId":',
      '["two"]',
      '{"subscriberId":"three","nickname":"Tri"}',
      `{"subscriberId":"four","firstName":"${'x'.repeat(1024 * 1024)}"}`,
      '',
      '{"subscriberId":"five","__proto__":{"a":1}}',
      '{"email":"six@example.com"}',
      '{"subscriberId":"seven"}',
    ]
    const stdin = Buffer.concat([
      Buffer.from(lines.join('\n')),
      Buffer.from('\n{"subscriberId":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n'),
    ])
    const { json, stderr } = await run(into('subscribers', name), { stdin })
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      'line 2: the line must be a JSON object',
      'line 3: the line must be a JSON object',
      expect.stringMatching(/^line 4: "nickname" is unknown: the fields are subscriberId, firstName, /),
      'line 5: the line must be at most 1048576 bytes long',
      expect.stringMatching(/^line 7: "__proto__" is unknown/),
      'line 8: subscriberId is required',
      'line 10: the line must be UTF-8',
    ])
    expect(json).toMatchObject({ created: 2, failed: 7 })
  })

  test('reports bytes in a CSV file that are not UTF-8', async () => {
    const { name } = await emptyEnvironment()
    const stdin = Buffer.concat([Buffer.from('subscriberId,firstName\nada,Ad'), Buffer.from([0xe4]), Buffer.from('\n')])
    expect(await run(into('subscribers', name), { stdin })).toMatchObject({
      code: 1,
      stderr: 'line 2: firstName must be UTF-8\n',
    })
  })

  test.each([
    ['subscriberId,nickname\nada,A\n', 'the header is invalid: "nickname" is unknown: the fields are subscriberId, '],
    ['firstName\nAda\n', 'the header is invalid: subscriberId is required'],
    ['subscriberId,email,email\nada,a,b\n', 'the header is invalid: the column "email" appears twice'],
    ['subscriberId,firstName\nada,"Ada\ngrace,Grace\n', 'line 3: Quote Not Closed'],
  ])('rejects the file %j', async (stdin, message) => {
    const { name } = await emptyEnvironment()
    const { code, stderr } = await run(into('subscribers', name), { stdin })
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr.match(/\n/g)).toHaveLength(1)
  })

  test('reads at most a megabyte for one record of CSV', async () => {
    const { name } = await emptyEnvironment()
    const endless = Readable.from(
      (function* () {
        yield Buffer.from('subscriberId,firstName\nada,"')
        for (let part = 0; part < 64; part += 1) yield Buffer.alloc(64 * 1024, 'x')
      })(),
    )
    const { code, stderr } = await run(into('subscribers', name), { stdin: endless })
    expect(code).toBe(1)
    expect(stderr).toMatch(/the line must be at most 1048576 characters long: is a quote not closed\?\n$/)
  })

  test.each(['', '\n', 'subscriberId\n'])('imports nothing from %j', async (stdin) => {
    const { name } = await emptyEnvironment()
    expect(await run(into('subscribers', name), { stdin })).toMatchObject({ code: 0, json: { created: 0, failed: 0 } })
  })

  test('lets the last of several lines with one id win, also in different portions', async () => {
    const { name, client } = await emptyEnvironment()
    const others = Array.from({ length: 600 }, (_, index) => `other-${index},Other`)
    const stdin = ['subscriberId,firstName', 'ada,First', 'ada,Second', ...others, 'ada,Last'].join('\n')
    const { json } = await run(into('subscribers', name), { stdin })
    expect(json).toMatchObject({ created: 601, updated: 2, failed: 0 })
    expect(await subscriberOf(client, 'ada')).toMatchObject({ firstName: 'Last' })
  })

  test('with --dry-run checks everything and writes nothing', async () => {
    const { name, client } = await emptyEnvironment()
    await run(into('subscribers', name), { stdin: 'subscriberId,firstName\nold,Old\n' })
    const stdin = 'subscriberId,firstName,email\nold,New,\nada,Ada,\nbad,Bad,no address\n'
    const { code, json, stderr } = await run(`${into('subscribers', name)} --dry-run`, { stdin })
    expect({ code, json }).toMatchObject({ code: 1, json: { created: 1, updated: 1, failed: 1, dryRun: true } })
    expect(stderr).toBe('line 4: email must be an email address\n')
    expect(await subscriberOf(client, 'ada')).toBeNull()
    expect(await subscriberOf(client, 'old')).toMatchObject({ firstName: 'Old' })
  })

  test('shows a bar with the time left on a terminal', async () => {
    const { name } = await emptyEnvironment()
    const folder = await temporaryFolder()
    const file = path.join(folder, 'many.csv')
    const lines = Array.from({ length: 1_500 }, (_, index) => `user-${index}`)
    await writeFile(file, ['subscriberId', ...lines, ''].join('\n'))
    const line = `import subscribers ${file} --environment ${name}`
    const { code, stdout, stderr } = await run(line, { isTTY: true })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1,500 created, 0 updated, 0 failed.\n' })
    // Whether the bar is drawn depends on timing; it leaves no text behind.
    expect(stderr === '' || stderr.endsWith('\r\u001b[K')).toBe(true)
  })

  test('stops between portions when it is interrupted, and an import that is run again completes it', async () => {
    const { name } = await emptyEnvironment()
    const lines = Array.from({ length: 1_200 }, (_, index) => `user-${index}\n`)
    const interrupted = new AbortController()
    const slow = Readable.from(
      (async function* () {
        yield Buffer.from(`subscriberId\n${lines.slice(0, 600).join('')}`)
        const { db } = world.gateway
        await until(async () =>
          (await db.subscriber.count({ where: { environment: { name } } })) >= 500 ? true : undefined,
        )
        interrupted.abort(new Error('interrupted'))
        yield Buffer.from(lines.slice(600).join(''))
      })(),
    )
    const { code, stdout, stderr } = await run(into('subscribers', name), { stdin: slow, signal: interrupted.signal })
    expect({ code, stdout, stderr }).toEqual({
      code: 130,
      stdout: '',
      stderr: 'interrupted: 500 subscribers are done. To continue, run the same command with --after 501\n',
    })
    const stdin = `subscriberId\n${lines.join('')}`
    const rest = await run(`${into('subscribers', name)} --after 501`, { stdin })
    expect(rest.json).toMatchObject({ created: 700, updated: 0, failed: 0 })
    expect((await run(into('subscribers', name), { stdin })).json).toMatchObject({ created: 0, updated: 1_200 })
  })

  test('imports into its own environment only', async () => {
    const [one, other] = [await emptyEnvironment(), await emptyEnvironment()]
    await run(into('subscribers', one.name), { stdin: 'subscriberId\nada\n' })
    expect(await subscriberOf(other.client, 'ada')).toBeNull()
    expect((await run(`export subscribers --environment ${other.name}`)).stdout.split('\n')).toHaveLength(2)
  })

  test('names a file that does not exist', async () => {
    const { code, stderr } = await run('import subscribers /nowhere/people.csv --environment Development')
    expect(code).toBe(1)
    expect(stderr).toBe('/nowhere/people.csv cannot be read: the file does not exist\n')
  })
})

describe('import topics', () => {
  test('creates and updates them, and reports invalid lines', async () => {
    const { name, client } = await emptyEnvironment()
    const stdin = 'key,name,data\nreleases,Releases,"{""public"":true}"\nno spaces,,\nnews,,\n'
    const { json, stderr } = await run(into('topics', name), { stdin })
    expect(json).toMatchObject({ created: 2, updated: 0, failed: 1 })
    expect(stderr).toBe('line 3: key must be letters, digits, "-", "_" and ":", or an email address\n')
    const { topic } = await client.ask('{ topic(key: "releases") { name data } }')
    expect(topic).toEqual({ name: 'Releases', data: { public: true } })
    expect((await run(into('topics', name), { stdin: 'key,name\nreleases,New\n' })).json).toMatchObject({ updated: 1 })
  })
})

describe('import subscriptions', () => {
  test('subscribes to topics, with contexts and preferences, and leaves those that exist unchanged', async () => {
    const { name, client } = await emptyEnvironment()
    await run(into('subscribers', name), { stdin: 'subscriberId\nada\ngrace\n' })
    const stdin = [
      { topicKey: 'releases', subscriberId: 'ada', context: { tenant: 'acme' } },
      { topicKey: 'releases', subscriberId: 'grace', name: 'Grace on releases' },
      { topicKey: 'releases', subscriberId: 'nobody' },
      { topicKey: 'no spaces', subscriberId: 'ada' },
      { topicKey: 'releases', subscriberId: '' },
      { topicKey: 'news', subscriberId: 'ada', preferences: [{ group: { tags: ['urgent'], enabled: false } }] },
    ]
      .map((item) => JSON.stringify(item))
      .join('\n')
    const { json, stderr } = await run(into('subscriptions', name), { stdin })
    expect(json).toMatchObject({ created: 3, unchanged: 0, failed: 3 })
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      'line 3: Subscriber "nobody" not found',
      'line 4: topicKey must be letters, digits, "-", "_" and ":", or an email address',
      'line 5: subscriberId must not be empty',
    ])
    const { topic } = await client.ask('{ topic(key: "releases") { subscriptions { totalCount } } }')
    expect(topic.subscriptions.totalCount).toBe(2)
    expect((await run(into('subscriptions', name), { stdin })).json).toMatchObject({ created: 0, unchanged: 3 })
  })
})

describe('export', () => {
  /** Fills an environment with more than one page of each noun. */
  async function filled() {
    const { name, client } = await emptyEnvironment()
    const people = Array.from({ length: 120 }, (_, index) => ({
      subscriberId: `user-${index}`,
      firstName: index % 2 === 0 ? `=1+1, "quoted"\n${index}` : null,
      email: `user${index}@example.com`,
      timezone: 'Europe/Berlin',
      data: index % 3 === 0 ? { plan: 'pro', tags: ['a', 'b'] } : {},
    }))
    const asLines = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join('\n')
    await run(into('subscribers', name), { stdin: asLines(people) })
    const topics = Array.from({ length: 110 }, (_, index) => ({ key: `topic-${index}`, name: `Topic ${index}` }))
    await run(into('topics', name), { stdin: asLines(topics) })
    await client.act('createWorkflow', {
      identifier: 'welcome',
      name: 'Welcome',
      steps: [{ inApp: { body: 'Hello' } }],
    })
    const subscriptions = people.map(({ subscriberId }, index) => ({
      topicKey: `topic-${index % 3}`,
      subscriberId,
      context: index % 2 === 0 ? { tenant: 'acme' } : {},
      preferences:
        index % 5 === 0
          ? [
              { workflow: { workflowId: 'welcome', condition: { '==': [1, 1] }, enabled: false } },
              { group: { workflowIds: ['welcome'], tags: ['urgent'], enabled: true } },
            ]
          : [],
    }))
    const { json } = await run(into('subscriptions', name), { stdin: asLines(subscriptions) })
    expect(json).toMatchObject({ created: 120, failed: 0 })
    return name
  }

  test.each(['csv', 'jsonl'])(
    'as %s can be imported again, and the copy is exported as the same file',
    async (format) => {
      const from = await filled()
      const { name: copy, client } = await emptyEnvironment()
      await client.act('createWorkflow', {
        identifier: 'welcome',
        name: 'Welcome',
        steps: [{ inApp: { body: 'Hello' } }],
      })
      for (const noun of ['subscribers', 'topics', 'subscriptions']) {
        const { code, stdout, stderr } = await run(`export ${noun} --environment ${from} --format ${format}`)
        expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Exported \w+: 1[12]0\n$/) })
        const imported = await run(into(noun, copy), { stdin: stdout })
        expect(imported.json).toMatchObject({ failed: 0 })
        const again = await run(`export ${noun} --environment ${copy} --format ${format}`)
        expect(again.stdout.split('\n').toSorted()).toEqual(stdout.split('\n').toSorted())
      }
    },
  )

  test('writes formulas as text in CSV, and an import restores them', async () => {
    const { name } = await emptyEnvironment()
    const { name: copy } = await emptyEnvironment()
    const lastNames = ['=HYPERLINK("https://evil.example")', '@SUM(A1)', '-1+cmd', "'=quoted", "'plain", '-5']
    const people = lastNames.map((lastName, index) => ({
      subscriberId: `p${index}`,
      lastName,
      phone: '+4915112345678',
    }))
    await run(into('subscribers', name), { stdin: people.map((one) => JSON.stringify(one)).join('\n') })
    const { stdout } = await run(`export subscribers --environment ${name} --format csv`)
    const cells = stdout.split('\n').flatMap((line) => line.split(','))
    const formulas = cells.filter((cell) => /^"?[=@+-]/.test(cell)).map((cell) => cell.replaceAll('"', ''))
    expect([...new Set(formulas)].toSorted()).toEqual(['+4915112345678', '-5'])
    await run(into('subscribers', copy), { stdin: stdout })
    const lines = (await run(`export subscribers --environment ${copy} --format jsonl`)).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).lastName).toSorted()).toEqual(lastNames.toSorted())
  })

  test('writes a file that is complete when it appears, and readable by its owner only', async () => {
    const { name } = await emptyEnvironment()
    await run(into('subscribers', name), { stdin: 'subscriberId\nada\n' })
    const folder = await temporaryFolder()
    const file = path.join(folder, 'people.jsonl')
    const { code, stdout } = await run(`export subscribers ${file} --environment ${name}`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Exported subscribers: 1\n' })
    expect(await readdir(folder)).toEqual(['people.jsonl'])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ subscriberId: 'ada', data: {} })
  })

  test('leaves the old file if it fails', async () => {
    const folder = await temporaryFolder()
    const file = path.join(folder, 'people.csv')
    await writeFile(file, 'the old one')
    expect((await run(`export subscribers ${file} --environment Nowhere`)).code).toBe(1)
    expect(await readdir(folder)).toEqual(['people.csv'])
    expect(await readFile(file, 'utf8')).toBe('the old one')
  })
})

describe('through a running process', () => {
  async function served() {
    const folder = await temporaryFolder()
    const logger = pino({ level: 'silent' })
    const server = await serveCommands(folder, {
      gateway: world.gateway,
      database: world.database,
      others: () => [],
      logger,
      dashboardAddress: () => undefined,
    })
    onTestFinished(() => server.close())
    return { server, settings: { databaseUrl: undefined, dataDirectory: folder } }
  }

  test('files are streamed in both directions', async () => {
    const { settings } = await served()
    const { name } = await emptyEnvironment()
    const lines = Array.from({ length: 2_000 }, (_, index) => `user-${index},${'x'.repeat(200)}`)
    const stdin = ['subscriberId,firstName', ...lines, 'bad,', 'worse,x,y', ''].join('\n')
    const { code, json, stderr } = await run(into('subscribers', name), { stdin, settings })
    expect({ code, json }).toMatchObject({ code: 1, json: { created: 2_001, failed: 1 } })
    expect(stderr).toBe('line 2003: the line has 3 fields, the header has 2\n')
    const { stdout } = await run(`export subscribers --environment ${name}`, { settings })
    expect(stdout.split('\n')).toHaveLength(2_003)
    expect(stdout).toBe((await run(`export subscribers --environment ${name}`)).stdout)
  })

  test('a command line that disconnects stops the import between portions, and the file is not taken as complete', async () => {
    const { settings, server } = await served()
    const { name } = await emptyEnvironment()
    const interrupted = new AbortController()
    const { db } = world.gateway
    const endless = Readable.from(
      (async function* () {
        yield Buffer.from('subscriberId\n')
        for (let index = 0; !interrupted.signal.aborted; index += 1) {
          yield Buffer.from(`user-${index}\n`)
          if (index === 1_200) {
            // The first portion was reported before the second one was written.
            await until(async () =>
              (await db.subscriber.count({ where: { environment: { name } } })) >= 1_000 ? true : undefined,
            )
            interrupted.abort(new Error('interrupted'))
          }
        }
      })(),
    )
    const options = { stdin: endless, settings, signal: interrupted.signal }
    const { code, stderr } = await run(into('subscribers', name), options)
    expect(code).toBe(130)
    expect(stderr).toMatch(/^interrupted: (500 subscribers .* --after 501|1,000 subscribers .* --after 1001)\n$/)
    // Resolves when the command has ended.
    await server.close()
    // The lines after the last complete portion were not written, because they may be cut off.
    expect(await db.subscriber.count({ where: { environment: { name } } })).toBe(1_000)
  })
})
