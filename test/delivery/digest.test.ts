// Digest steps: triggers within a time window reach a subscriber as one message.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'
import { adasRun, bodiesOf, createWorkflow, outcomes, trigger } from '../support/delivery/story.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const body = '{{digest.count}}: {% for event in digest.events %}{{event.payload.id}} {% endfor %}'
const digesting = (digest: object = {}) =>
  createWorkflow(acme, [
    { digest: { stepId: 'gather', amount: 10, unit: 'MINUTES', ...digest } },
    { inApp: { stepId: 'bell', body } },
  ])

/** Sends the triggers, runs the jobs after each, and ends all windows. @returns the transaction ids. */
async function gather(...triggers: readonly object[]): Promise<string[]> {
  const transactionIds: string[] = []
  for (const one of triggers) {
    transactionIds.push(await trigger(acme, one))
    await world.work()
  }
  await world.work({ early: true })
  return transactionIds
}

const id = (number: number, more: object = {}) => ({ payload: { id: number, ...more } })

describe('digest steps', () => {
  test('merge all triggers within the window into one message', async () => {
    await digesting()
    const [first = '', second = ''] = await gather(id(1), id(2), id(3))
    expect(await bodiesOf(acme)).toEqual(['3: 1 2 3 '])
    expect(await outcomes(acme, first)).toEqual({ gather: 'COMPLETED', bell: 'SENT' })
    expect(await outcomes(acme, second)).toEqual({ gather: 'MERGED' })
    expect(await adasRun(acme, second)).toMatchObject({ status: 'COMPLETED', steps: [{ dueAt: null }] })
  })

  test('wait for the whole window, which starts with the first trigger', async () => {
    world.setClock(new Date())
    onTestFinished(() => world.setClock(undefined))
    await digesting()
    const transactionId = await trigger(acme, id(1))
    await world.work()
    const { status, steps } = await adasRun(acme, transactionId)
    expect({ status, steps }).toMatchObject({ status: 'WAITING', steps: [{ status: 'WAITING' }] })
    expect(Date.parse(steps[0].dueAt ?? '') - Date.parse(steps[0].createdAt)).toBe(10 * 60 * 1000)
    expect(await bodiesOf(acme)).toEqual([])
  })

  test('start a new window after the previous one has ended', async () => {
    await digesting()
    await gather(id(1), id(2))
    await gather(id(3))
    expect(await bodiesOf(acme)).toEqual(['2: 1 2 ', '1: 3 '])
  })

  test('keep subscribers, contexts and workflows apart', async () => {
    await digesting()
    await createWorkflow(acme, [{ digest: { amount: 1, unit: 'DAYS' } }, { inApp: { body } }], { identifier: 'other' })
    await gather(
      id(1),
      { ...id(2), to: ['ada', 'grace'] },
      { ...id(3), context: { tenant: 'acme' } },
      { ...id(4), context: { tenant: 'acme' } },
      { ...id(5), name: 'other' },
    )
    expect((await bodiesOf(acme)).toSorted()).toEqual(['1: 5 ', '2: 1 2 '])
    expect(await bodiesOf(acme, 'grace')).toEqual(['1: 2 '])
    expect(await bodiesOf(acme, 'ada', ['tenant:acme'])).toEqual(['2: 3 4 '])
  })

  test('group triggers by the value of their key', async () => {
    await digesting({ key: 'order.id' })
    const of = (order: unknown) => ({ order: { id: order } })
    await gather(id(1, of('a')), id(2, of('b')), id(3, of('a')), id(4, of(7)), id(5, of('7')), id(6), id(7))
    expect((await bodiesOf(acme)).toSorted()).toEqual(['1: 2 ', '1: 4 ', '1: 5 ', '2: 1 3 ', '2: 6 7 '])
  })

  test('give templates the transactionId and createdAt of each trigger', async () => {
    await createWorkflow(acme, [
      { digest: { amount: 1, unit: 'HOURS' } },
      { inApp: { body: '{% for event in digest.events %}{{event.transactionId}} {{event.createdAt}} {% endfor %}' } },
    ])
    const transactionIds = await gather({ transactionId: 'one' }, { transactionId: 'two' })
    const times = await Promise.all(
      transactionIds.map(
        async (transactionId) =>
          (await acme.ask('query ($id: String!) { event(transactionId: $id) { createdAt } }', { id: transactionId }))
            .event.createdAt,
      ),
    )
    expect(await bodiesOf(acme)).toEqual([`one ${times[0]} two ${times[1]} `])
  })

  test('count all triggers, but give templates the newest 100, in order of time', async () => {
    const ids = '{% for event in digest.events %}{{event.payload.id}} {% endfor %}'
    await createWorkflow(acme, [
      { digest: { amount: 1, unit: 'HOURS' } },
      { inApp: { body: `{{digest.count}} {{digest.events.size}}: ${ids}` } },
    ])
    const start = Date.now()
    onTestFinished(() => world.setClock(undefined))
    for (const number of [0, 1, 2]) {
      world.setClock(new Date(start + number))
      await trigger(acme, id(number))
      await world.work()
    }
    world.setClock(new Date(start + 10))
    const events = Array.from({ length: 99 }, (_, index) => ({ name: 'order', to: 'ada', payload: { id: index + 3 } }))
    await acme.rest('POST /v1/events/trigger/bulk', { body: { events } })
    await world.work()
    await world.work({ early: true })
    const newest = Array.from({ length: 100 }, (_, index) => `${index + 2} `).join('')
    expect((await bodiesOf(acme)).at(-1)).toBe(`102 100: ${newest}`)
  })

  test('name the actor of each trigger', async () => {
    const actor = '{{event.actor.subscriberId}} {{event.actor.firstName}} {{event.actor.lastName}}'
    await createWorkflow(acme, [
      { digest: { amount: 1, unit: 'HOURS' } },
      { inApp: { body: `{% for event in digest.events %}${actor},{% endfor %}{{digest.events.first.actor | json}}` } },
    ])
    await acme.act('createSubscriber', { subscriberId: 'grace', firstName: 'Grace', lastName: 'Hopper' }, '__typename')
    await gather(id(1), { ...id(2), actor: 'grace' }, { ...id(3), actor: 'alan' })
    expect(await bodiesOf(acme)).toEqual(['  ,grace Grace Hopper,alan  ,null'])
  })

  test('wait for a trigger that was accepted within the window and whose jobs are late', async () => {
    const start = new Date()
    const at = (minutes: number) => world.setClock(new Date(start.getTime() + minutes * 60_000))
    at(0)
    onTestFinished(() => world.setClock(undefined))
    await digesting()
    await trigger(acme, id(1))
    await world.work()
    at(9)
    await trigger(acme, id(2))
    const late = new Date(start.getTime() + 11 * 60_000)
    await world.database.client.$executeRaw`UPDATE jobs SET available_at = ${late} WHERE queue = 'fan_out'`
    at(10)
    await world.work()
    expect(await bodiesOf(acme)).toEqual([])
    at(12)
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['2: 1 2 '])
  })

  test('wait for a run that an earlier digest of the workflow has held back', async () => {
    const start = new Date()
    const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
    world.setClock(start)
    onTestFinished(() => world.setClock(undefined))
    await createWorkflow(acme, [
      { digest: { stepId: 'same', amount: 10, unit: 'MINUTES', key: 'id' } },
      { digest: { stepId: 'all', amount: 10, unit: 'MINUTES' } },
      { inApp: { body } },
    ])
    await trigger(acme, id(1))
    await world.work()
    world.setClock(at(5))
    await trigger(acme, id(2))
    await world.work()
    // The first digest of the second run is due after 15 minutes, but its job is late.
    await world.database.client.$executeRaw`UPDATE jobs SET available_at = ${at(21)} WHERE due_at = ${at(15)}`
    for (const minutes of [10, 20]) {
      world.setClock(at(minutes))
      await world.work()
    }
    expect(await bodiesOf(acme)).toEqual([])
    world.setClock(at(22))
    await world.work()
    expect(await bodiesOf(acme)).toEqual(['2: 1 2 '])
  })

  test('set digest.count for conditions', async () => {
    await createWorkflow(acme, [
      { digest: { amount: 1, unit: 'HOURS' } },
      { inApp: { body: 'Many', condition: { '>': [{ var: 'digest.count' }, 1] } } },
      { inApp: { body: 'One', condition: { '==': [{ var: 'digest.count' }, 1] } } },
    ])
    await gather(id(1), id(2))
    await gather(id(3))
    expect(await bodiesOf(acme)).toEqual(['Many', 'One'])
  })

  test('do not wait if their condition does not hold', async () => {
    const condition = { '==': [{ var: 'payload.quiet' }, true] }
    await digesting({ condition })
    const [loud = ''] = await gather(id(1), id(2, { quiet: true }), id(3, { quiet: true }))
    expect(await outcomes(acme, loud)).toEqual({ gather: 'SKIPPED condition', bell: 'SENT' })
    expect(await bodiesOf(acme)).toEqual([': ', '2: 2 3 '])
  })

  test('send one message per subscriber for concurrent triggers', async () => {
    await digesting()
    const to = ['ada', 'grace', 'eve']
    await Promise.all(Array.from({ length: 10 }, (_, index) => trigger(acme, { ...id(index), to })))
    await world.work()
    await world.work({ early: true })
    for (const subscriberId of to) {
      expect(await bodiesOf(acme, subscriberId)).toEqual([expect.stringMatching(/^10: /)])
    }
  })
})
