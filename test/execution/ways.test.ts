// The ways in which a message does not arrive, each produced through the application. `docs/why-not.md` is the table of what
// the execution log says about them, which this test prints: run it with `-u` after a change of the words.
import { format } from 'prettier'
import { afterEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { done } from '../support/delivery/story.ts'
import { blockedWays, decidedWays } from '../support/ways/decided-ways.ts'
import { slowThreads } from '../support/ways/slow-threads.ts'
import { triggerWays } from '../support/ways/trigger-ways.ts'
import { laterWays } from '../support/ways/later-ways.ts'
import type { Told } from '../support/ways/way.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ openThreads: slowThreads })
const strict = useWorld({ allowPrivateAddresses: false })
const receiver = useReceiver()
afterEach(() => {
  world.setClock(undefined)
  strict.setClock(undefined)
})

const ways = [
  ...[...triggerWays, ...laterWays, ...decidedWays].map(([title, tell]) => [title, tell, world] as const),
  ...blockedWays.map(([title, tell]) => [title, tell, strict] as const),
]
const rows: string[] = []

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('{{', '{ {')
const code = (text: string) => `\`${text}\``

const rowOf = (title: string, { code: reason, words, advice, leadsTo }: Told) =>
  `| ${[title, code(reason), words, advice ?? '', leadsTo.join(', ')].map(cell).join(' | ')} |`

const page = () => `<!-- Printed by test/execution/ways.test.ts. -->

# Why a message did not arrive

What the execution log says about each way in which a message does not arrive. Each was produced with the gateway, for the subscriber \`ada\` and the workflow \`order\`. The words are those of \`StepRun.explanation\` and \`StepRun.advice\`, of \`Event.detail\` and \`Event.advice\` if the event has no runs, and of \`UnprocessedTrigger.explanation\` and \`advice\` if there is no event. Codes such as \`CREDENTIALS_REJECTED\` are the [causes](delivery.md#reasons-of-steps) of failed messages. They tell the set-up of the environment from the recipient, the provider and the gateway.

| way | code | in words | what to do | leads to |
| --- | ---- | -------- | ---------- | -------- |
${rows.join('\n')}
`

describe('the execution log says why', () => {
  test.each(ways)('%s', async (title, tell, on) => {
    on.setClock(new Date('2027-01-01T12:00:00Z'))
    const client = await on.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    const told = await tell({ world: on, client, receiver })
    expect(told.words).not.toBe('')
    // The port of the receiver is another one each time.
    rows.push(
      rowOf(title, { ...told, words: told.words.replaceAll(receiver.url.slice('http://'.length), '127.0.0.1:4000') }),
    )
  })

  test('in the words of docs/why-not.md', async () => {
    expect(rows).toHaveLength(ways.length)
    await expect(await format(page(), { parser: 'markdown' })).toMatchFileSnapshot('../../docs/why-not.md')
  })
})
