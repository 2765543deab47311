// import and export of suppressions, as CSV and JSON Lines.
import { expect, test } from 'vitest'
import { commandLineOf } from '../support/command-line.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)

let count = 0
/** An environment with an integration for text messages. */
async function opened() {
  const name = `Suppressed-${(count += 1)}`
  const client = await world.environment(name)
  await client.act('createIntegration', { identifier: 'text', providerId: 'TWILIO' })
  return { name, client }
}

const into = (environment: string) => `import suppressions --environment ${environment} --json`
const out = (environment: string, format: string) =>
  `export suppressions --environment ${environment} --format ${format}`

const listQuery = `{
  suppressions(orderBy: { field: CREATED_AT, direction: ASC }) {
    nodes { channel address reason detail contextKeys expiresAt integration { identifier } }
  }
}`

const mail = { channel: 'email', address: 'ada@example.com' }
const text = { channel: 'sms', address: '+4915112345678' }

test('an import suppresses the addresses of a CSV file, and leaves those that are suppressed unchanged', async () => {
  const { name, client } = await opened()
  const stdin = [
    'channel,address,reason,detail,integrationIdentifier,context,expiresAt',
    'email,Ada@Example.com,hard_bounce,550 5.1.1 unknown,,,',
    'sms,+49 151 12345678,sms_keyword,,text,,2099-01-01T00:00:00Z',
    'email,grace@example.com,,,,"{""tenant"":""acme""}",',
    '',
  ].join('\n')
  const result = { created: 3, unchanged: 0, failed: 0, dryRun: false, failures: [] }
  expect(await run(into(name), { stdin })).toMatchObject({ code: 0, json: result })
  const none = { detail: null, contextKeys: [], expiresAt: null, integration: null }
  expect((await client.ask(listQuery)).suppressions.nodes).toEqual([
    { ...none, channel: 'EMAIL', address: 'ada@example.com', reason: 'HARD_BOUNCE', detail: '550 5.1.1 unknown' },
    {
      ...{ ...none, channel: 'SMS', address: '+4915112345678', reason: 'SMS_KEYWORD' },
      ...{ expiresAt: '2099-01-01T00:00:00.000Z', integration: { identifier: 'text' } },
    },
    { ...none, channel: 'EMAIL', address: 'grace@example.com', reason: 'IMPORT', contextKeys: ['tenant:acme'] },
  ])
  expect((await run(into(name), { stdin })).json).toEqual({ ...result, created: 0, unchanged: 3 })
})

test('an import names each line that is invalid, and suppresses the others', async () => {
  const { name, client } = await opened()
  const stdin = [
    mail,
    { ...mail, address: 'nobody' },
    { channel: 'push', address: 'ada@example.com' },
    { ...mail, address: 'grace@example.com', reason: 'boredom' },
    { ...text, integrationIdentifier: 'nowhere' },
    { ...mail, address: 'late@example.com', expiresAt: 'soon' },
    text,
  ]
    .map((line) => JSON.stringify(line))
    .join('\n')
  const { code, json, stderr } = await run(into(name), { stdin })
  expect({ code, json }).toMatchObject({ code: 1, json: { created: 2, failed: 5 } })
  const lines = stderr.split('\n').slice(0, -1)
  expect(lines.map((line) => /^line (\d)/.exec(line)?.[1])).toEqual(['2', '3', '4', '5', '6'])
  for (const [index, named] of ['address', 'channel', 'reason', 'nowhere', 'expiresAt'].entries())
    expect(lines[index]).toContain(named)
  expect((await client.ask('{ suppressions { totalCount } }')).suppressions.totalCount).toBe(2)
})

test('an import with --dry-run suppresses nothing', async () => {
  const { name, client } = await opened()
  const { json } = await run(`${into(name)} --dry-run`, { stdin: JSON.stringify(mail) })
  expect(json).toMatchObject({ created: 1, dryRun: true })
  expect((await client.ask('{ suppressions { totalCount } }')).suppressions.totalCount).toBe(0)
})

test.each(['csv', 'jsonl'])(
  'an export as %s of more than a page can be imported again, and the copy is exported as the same file',
  async (format) => {
    const [{ name: from }, { name: copy }] = [await opened(), await opened()]
    const lines = Array.from({ length: 120 }, (_, index) => ({
      ...mail,
      address: `user${index}@example.com`,
      ...(index % 2 === 0 && { reason: 'complaint', detail: `=1+1, "quoted"\n${index}`, context: { tenant: 'acme' } }),
      ...(index % 3 === 0 && { expiresAt: '2099-01-01T00:00:00.000Z' }),
    }))
    const all = [...lines, { ...text, integrationIdentifier: 'text' }]
    await run(into(from), { stdin: all.map((line) => JSON.stringify(line)).join('\n') })
    const { code, stdout, stderr } = await run(out(from, format))
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: 'Exported suppressions: 121\n' })
    expect((await run(into(copy), { stdin: stdout })).json).toMatchObject({ created: 121, failed: 0 })
    expect((await run(out(copy, format))).stdout.split('\n').toSorted()).toEqual(stdout.split('\n').toSorted())
  },
)

test('an export leaves out suppressions of which only the hash was kept', async () => {
  const { name } = await opened()
  const stdin = [mail, text].map((line) => JSON.stringify(line)).join('\n')
  await run(into(name), { stdin })
  await world.gateway.db.suppression.updateMany({
    where: { channel: 'email', environment: { name } },
    data: { addressCipher: null },
  })
  const { stdout } = await run(out(name, 'jsonl'))
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).address),
  ).toEqual([text.address])
})
