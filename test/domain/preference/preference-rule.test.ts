// The rule of preferences, compared with a second implementation over every state and over sequences of writes.
import { beforeAll, describe, expect, test } from 'vitest'
import { createWorkflow, done, storyOf } from '../../support/delivery/story.ts'
import type { RestObject } from '../../support/rest-body.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client

beforeAll(async () => {
  acme = await world.environment()
})

type Choice = boolean | null

const choices: readonly Choice[] = [null, true, false]

/** The choice for one workflow or for all: overall, and for the channel. */
type Row = Record<'enabled' | 'channel', Choice>

interface State {
  readonly critical: boolean
  readonly byDefault: Choice
  readonly own: Row
  readonly general: Row
}

/** The rule, line by line as in docs/delivery.md. */
function verdict({ critical, byDefault, own, general }: State): readonly [enabled: boolean, decidedBy: string] {
  const lines: readonly (readonly [applies: boolean, enabled: boolean, decidedBy: string])[] = [
    [critical, true, 'CRITICAL'],
    [own.enabled === false, false, 'SUBSCRIBER_WORKFLOW'],
    [own.channel !== null, own.channel === true, 'SUBSCRIBER_WORKFLOW'],
    [general.enabled === false && own.enabled !== true, false, 'SUBSCRIBER_GLOBAL'],
    [general.channel !== null, general.channel === true, 'SUBSCRIBER_GLOBAL'],
    [true, byDefault !== false, 'WORKFLOW_DEFAULT'],
  ]
  const [, enabled, decidedBy] = lines.find(([applies]) => applies) ?? [true, true, '']
  return [enabled, decidedBy]
}

/** A channel without any choice follows the same rule without those lines. */
const untouched = (state: State): State => ({
  ...state,
  byDefault: null,
  own: { ...state.own, channel: null },
  general: { ...state.general, channel: null },
})

const sources: Readonly<Record<string, string>> = {
  CRITICAL: 'WORKFLOW',
  SUBSCRIBER_WORKFLOW: 'SUBSCRIBER',
  SUBSCRIBER_GLOBAL: 'SUBSCRIBER',
  WORKFLOW_DEFAULT: 'WORKFLOW',
}

/** The expected state of the channel that the test chooses, and of a channel without choices. */
function shown(state: State) {
  const setting = (channel: string, of: State) => {
    const [enabled, decidedBy] = verdict(of)
    return { channel, enabled, decidedBy, source: sources[decidedBy] }
  }
  const [chosen, other] = [setting('IN_APP', state), setting('PUSH', untouched(state))]
  return { enabled: chosen.enabled || other.enabled, channels: [chosen, other] }
}

const fields = 'workflows { workflowIdentifier enabled channels { channel enabled decidedBy source } }'

/** What `fields` selects. */
interface Preferences {
  readonly workflows: readonly {
    readonly workflowIdentifier: string
    readonly enabled: boolean
    readonly channels: readonly { readonly channel: string }[]
  }[]
}

/** The preferences of a workflow, without channels that behave like PUSH. */
function shownOf(preferences: Preferences | undefined, identifier: string) {
  const found = preferences?.workflows.find((one) => one.workflowIdentifier === identifier)
  return {
    enabled: found?.enabled,
    channels: found?.channels.filter(({ channel }) => ['IN_APP', 'PUSH'].includes(channel)),
  }
}

const inApp = (enabled: Choice) => (enabled === null ? {} : { channels: [{ channel: 'IN_APP', enabled }] })
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

describe('every combination of preferences, defaults and critical workflows', () => {
  const rows = choices.flatMap((enabled) => choices.map((channel): Row => ({ enabled, channel })))
  const subscribers = rows.map((general) => ({ subscriberId: `${general.enabled}-${general.channel}`, general }))
  const workflows = rows.flatMap((own) =>
    [true, false].flatMap((critical) =>
      choices.map((byDefault) => {
        return { critical, byDefault, own, identifier: `${critical}-${byDefault}-${own.enabled}-${own.channel}` }
      }),
    ),
  )
  const states = subscribers.flatMap(({ subscriberId, general }) =>
    workflows.map(({ identifier, ...rest }) => ({ subscriberId, identifier, state: { ...rest, general } })),
  )

  beforeAll(async () => {
    await done(acme, 'createSubscribers', { subscribers: subscribers.map(({ subscriberId }) => ({ subscriberId })) })
    for (const { identifier, critical, byDefault } of workflows) {
      await createWorkflow(acme, [bell], { identifier, critical, ...inApp(byDefault) })
    }
    await Promise.all(
      subscribers.map(async ({ subscriberId, general }) => {
        const literal = ({ enabled, channel }: Row, more: string) => {
          const channels = channel === null ? '' : `channels: [{ channel: IN_APP, enabled: ${channel} }]`
          return `updateSubscriberPreferences(input: { subscriberId: "${subscriberId}", enabled: ${enabled}, ${channels} ${more} })`
        }
        const written = ({ enabled, channel }: Row) => enabled !== null || channel !== null
        const acts = [
          ...(written(general) ? [literal(general, '')] : []),
          ...workflows
            .filter(({ own }) => written(own))
            .map(({ identifier, own }) => literal(own, `workflowIdentifier: "${identifier}"`)),
        ]
        for (let from = 0; from < acts.length; from += 20) {
          const some = acts.slice(from, from + 20)
          const data = await acme.ask<Record<string, { userErrors: unknown[] }>>(
            `mutation { ${some.map((act, index) => `act${index}: ${act} { userErrors { message } }`).join(' ')} }`,
          )
          expect(Object.values(data).flatMap(({ userErrors }) => userErrors)).toEqual([])
        }
      }),
    )
  }, 300_000)

  test('is displayed according to the rule', async () => {
    expect(states).toHaveLength(9 * 9 * 6)
    const { subscribers: page } = await acme.ask(
      `{ subscribers(first: 20) { nodes { subscriberId preferences { ${fields} } } } }`,
    )
    const found = states.map(({ subscriberId, identifier }) => {
      const found = page.nodes.find((one) => one.subscriberId === subscriberId)
      return { subscriberId, identifier, ...shownOf(found?.preferences, identifier) }
    })
    expect(found).toEqual(
      states.map(({ subscriberId, identifier, state }) => ({ subscriberId, identifier, ...shown(state) })),
    )
  })

  test('is applied as it is displayed', async () => {
    const reasons: Readonly<Record<string, string>> = {
      SUBSCRIBER_WORKFLOW: 'subscriber_workflow_preference',
      SUBSCRIBER_GLOBAL: 'subscriber_global_preference',
      WORKFLOW_DEFAULT: 'workflow_default',
    }
    const to = subscribers.map(({ subscriberId }) => subscriberId)
    const { status, body } = await acme.rest<RestObject[]>('POST /v1/events/trigger/bulk', {
      body: { events: workflows.map(({ identifier }) => ({ name: identifier, to, transactionId: identifier })) },
    })
    expect({ status, failed: body.filter((one) => one.status !== 'processed') }).toEqual({
      status: 201,
      failed: [],
    })
    await world.work()
    const runs = new Map<string, Awaited<ReturnType<typeof storyOf>>>()
    for (const { identifier } of workflows) runs.set(identifier, await storyOf(acme, identifier))
    const found = states.map(({ subscriberId, identifier }) => {
      const step = runs.get(identifier)?.[subscriberId]?.steps[0]
      return { subscriberId, identifier, status: step?.status, reason: step?.reason }
    })
    expect(found).toEqual(
      states.map(({ subscriberId, identifier, state }) => {
        const [enabled, decidedBy] = verdict(state)
        const outcome = enabled
          ? { status: 'SENT', reason: null }
          : { status: 'SKIPPED', reason: reasons[decidedBy] ?? 'none' }
        return { subscriberId, identifier, ...outcome }
      }),
    )
  }, 300_000)
})

describe('every sequence of two writes, and every eighth of three', () => {
  interface Write {
    readonly of: 'own' | 'general'
    readonly field: keyof Row
    readonly value: boolean
  }
  const writes = (['own', 'general'] as const).flatMap((of) =>
    (['enabled', 'channel'] as const).flatMap((field) => [true, false].map((value): Write => ({ of, field, value }))),
  )
  // Each third write follows each combination of a first and a second write.
  const sequences = writes.flatMap((first, row) =>
    writes.flatMap((second, column) =>
      writes
        .filter((_third, index) => index === (row + column) % writes.length)
        .map((third): readonly Write[] => [first, second, third]),
    ),
  )
  const nameOf = (sequence: readonly Write[]) =>
    sequence.map(({ of, field, value }) => `${of} ${field} ${value}`).join(', ')

  /**
   * The state after writes, derived from their order: a choice for all workflows overrides earlier choices for single
   * ones.
   */
  function after(history: readonly Write[]): State {
    const takesBack = ({ of, field, value }: Write, taken: keyof Row) =>
      of === 'general' && ((field === 'enabled' && !value) || (field === 'channel' && taken === 'channel'))
    const latest = (of: Write['of'], field: keyof Row): Choice => {
      const at = history.findLastIndex((write) => write.of === of && write.field === field)
      const isTaken = of === 'own' && history.some((write, index) => index > at && takesBack(write, field))
      return at < 0 || isTaken ? null : (history[at]?.value ?? null)
    }
    const row = (of: Write['of']): Row => ({ enabled: latest(of, 'enabled'), channel: latest(of, 'channel') })
    return { critical: false, byDefault: null, own: row('own'), general: row('general') }
  }

  test('is displayed after each write according to the order of the writes', async () => {
    const globex = await world.environment()
    const subscribers = sequences.map((_sequence, index) => ({ subscriberId: `${index}` }))
    await done(globex, 'createSubscribers', { subscribers })
    await createWorkflow(globex, [bell])
    await createWorkflow(globex, [bell], { identifier: 'other' })
    const input = ({ of, field, value }: Write, index: number) => {
      const whose = of === 'own' ? 'workflowIdentifier: "order"' : ''
      const what = field === 'enabled' ? `enabled: ${value}` : `channels: [{ channel: IN_APP, enabled: ${value} }]`
      return `subscriberId: "${index}", ${whose} ${what}`
    }
    const write = async (sequence: readonly Write[], index: number) => {
      const acts = sequence.map((write, step) => {
        const act = `updateSubscriberPreferences(input: { ${input(write, index)} })`
        return `after${step + 1}: ${act} { preferences { ${fields} } userErrors { message } }`
      })
      const data = await globex.ask<Record<string, { preferences: Preferences }>>(`mutation { ${acts.join(' ')} }`)
      return sequence.map((_write, step) => {
        const payload = data[`after${step + 1}`]
        return { after: nameOf(sequence.slice(0, step + 1)), ...shownOf(payload?.preferences, 'order') }
      })
    }
    const found = []
    for (let at = 0; at < sequences.length; at += 8) {
      const some = sequences.slice(at, at + 8)
      found.push(...(await Promise.all(some.map((sequence, index) => write(sequence, at + index)))))
    }
    expect(found).toEqual(
      sequences.map((sequence) =>
        sequence.map((_write, step) => {
          const history = sequence.slice(0, step + 1)
          return { after: nameOf(history), ...shown(after(history)) }
        }),
      ),
    )
  }, 300_000)
})
