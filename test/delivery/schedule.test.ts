// The schedules of subscribers: outside its hours nothing is sent, and waits last until the next ones.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import {
  adasRun,
  bodiesOf,
  createIntegration,
  createWorkflow,
  done,
  outcomes,
  trigger,
} from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

/** In Berlin, it is an hour later. 2027-01-04 is a Monday. */
const mondayNoon = '2027-01-04T11:00:00Z'
const mondayNight = '2027-01-04T21:00:00Z'
const tuesdayMorning = '2027-01-05T08:00:00Z'

const at = (time: string) => world.setClock(new Date(time))

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

const hours = [{ start: '09:00', end: '17:00' }]
const office = {
  isEnabled: true,
  days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'].map((day) => ({ day, hours })),
}

const setSchedule = (schedule: object | null, more: object = {}) =>
  done(acme, 'updateSubscriberPreferences', { subscriberId: 'ada', schedule, ...more })

beforeEach(async () => {
  at(mondayNoon)
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', timezone: 'Europe/Berlin' })
  await setSchedule(office)
})

afterEach(() => world.setClock(undefined))

/** Triggers at a time and runs all jobs. @returns the outcomes of the steps. */
async function triggeredAt(time: string, more: object = {}): Promise<Record<string, string>> {
  at(time)
  const transactionId = await trigger(acme, more)
  await world.work()
  return outcomes(acme, transactionId)
}

describe('outside the hours', () => {
  test('messages are skipped, and those within them are sent', async () => {
    await createWorkflow(acme, [mail])
    expect(await triggeredAt(mondayNight)).toEqual({ mail: 'SKIPPED outside_schedule' })
    expect(receiver.received).toHaveLength(0)
    expect(await triggeredAt(tuesdayMorning)).toEqual({ mail: 'SENT' })
    expect(receiver.received).toHaveLength(1)
  })

  test('the log says what time it was, and when the next hours begin', async () => {
    await createWorkflow(acme, [mail])
    at(mondayNight)
    const transactionId = await trigger(acme)
    await world.work()
    const { event } = await acme.ask(
      `query ($id: String!) { event(transactionId: $id) { runs { nodes { steps { reasonCode explanation advice } } } } }`,
      { id: transactionId },
    )
    expect(event.runs.nodes[0].steps).toEqual([
      {
        reasonCode: 'OUTSIDE_SCHEDULE',
        explanation:
          'It was outside the schedule of subscriber "ada": Monday 22:00 in the time zone Europe/Berlin. Its next hours begin at 2027-01-05T08:00:00.000Z.',
        advice: expect.stringContaining('The subscriber decides this.'),
      },
    ])
  })

  test('notifications are written to the feed', async () => {
    await createWorkflow(acme, [bell, mail])
    expect(await triggeredAt(mondayNight)).toEqual({ bell: 'SENT', mail: 'SKIPPED outside_schedule' })
    expect(await bodiesOf(acme)).toEqual(['Hello'])
  })

  test('messages of critical workflows are sent', async () => {
    await createWorkflow(acme, [mail], { critical: true })
    expect(await triggeredAt(mondayNight)).toEqual({ mail: 'SENT' })
  })

  test('messages are sent under other contexts, which have a schedule of their own', async () => {
    await createWorkflow(acme, [mail])
    expect(await triggeredAt(mondayNight, { context: { tenant: 'acme' } })).toEqual({ mail: 'SENT' })
    await setSchedule(office, { contexts: [{ type: 'tenant', identifier: 'acme' }] })
    await setSchedule(null)
    expect(await triggeredAt(mondayNight, { context: { tenant: 'acme' } })).toEqual({
      mail: 'SKIPPED outside_schedule',
    })
    expect(await triggeredAt(mondayNight)).toEqual({ mail: 'SENT' })
  })

  test('a preference that turns the channel off is the reason', async () => {
    await createWorkflow(acme, [mail])
    await setSchedule(office, { channels: [{ channel: 'EMAIL', enabled: false }] })
    expect(await triggeredAt(mondayNight)).toEqual({ mail: 'SKIPPED subscriber_global_preference' })
  })

  test('a schedule that is disabled has no effect, and keeps its hours', async () => {
    await createWorkflow(acme, [mail])
    await setSchedule({ isEnabled: false })
    expect(await triggeredAt(mondayNight)).toEqual({ mail: 'SENT' })
    await setSchedule({ isEnabled: true })
    expect(await triggeredAt(mondayNight)).toEqual({ mail: 'SKIPPED outside_schedule' })
  })

  test('a preview shows what would be skipped, with delays at their end', async () => {
    await createWorkflow(acme, [
      mail,
      { delay: { stepId: 'wait', amount: 11, unit: 'HOURS' } },
      { email: { ...mail.email, stepId: 'later' } },
    ])
    at(mondayNight)
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
         runs { steps { stepId status reasonCode } }
       } }`,
    )
    expect(previewTrigger.runs[0].steps).toEqual([
      { stepId: 'mail', status: 'SKIPPED', reasonCode: 'OUTSIDE_SCHEDULE' },
      { stepId: 'wait', status: 'COMPLETED', reasonCode: null },
      { stepId: 'later', status: 'SENT', reasonCode: null },
    ])
  })
})

describe('extendToSchedule', () => {
  const wait = { stepId: 'wait', amount: 8, unit: 'HOURS' }
  const extended = { delay: { ...wait, extendToSchedule: true } }

  test('prolongs a delay to the next hours', async () => {
    await createWorkflow(acme, [extended, mail])
    const transactionId = await trigger(acme)
    await world.work()
    at('2027-01-04T19:00:00Z')
    await world.work()
    const { steps } = await adasRun(acme, transactionId)
    expect(steps).toMatchObject([{ stepId: 'wait', status: 'WAITING', dueAt: '2027-01-05T08:00:00.000Z' }])
    at('2027-01-05T07:59:59Z')
    await world.work()
    expect(receiver.received).toHaveLength(0)
    at(tuesdayMorning)
    await world.work()
    expect(await outcomes(acme, transactionId)).toEqual({ wait: 'COMPLETED', mail: 'SENT' })
    expect(receiver.received).toHaveLength(1)
  })

  test('does not change a delay that ends within the hours, nor one of a critical workflow', async () => {
    await createWorkflow(acme, [{ delay: { ...extended.delay, amount: 2 } }, mail])
    await createWorkflow(acme, [extended, mail], { identifier: 'alarm', critical: true })
    await trigger(acme)
    await trigger(acme, { name: 'alarm' })
    await world.work()
    at('2027-01-04T13:00:00Z')
    await world.work()
    expect(receiver.received).toHaveLength(1)
    at('2027-01-04T19:00:00Z')
    await world.work()
    expect(receiver.received).toHaveLength(2)
  })

  test('keeps a digest open until the next hours, also for triggers that arrive meanwhile', async () => {
    await createWorkflow(acme, [
      { digest: { ...wait, extendToSchedule: true } },
      { email: { ...mail.email, body: '{{ digest.count }}' } },
    ])
    const transactionId = await trigger(acme)
    await world.work()
    at('2027-01-04T20:00:00Z')
    await world.work()
    await trigger(acme)
    await world.work()
    at(tuesdayMorning)
    await world.work()
    expect(await outcomes(acme, transactionId)).toEqual({ wait: 'COMPLETED', mail: 'SENT' })
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.body).toContain('2')
  })

  test('prolongs at most three times if the schedule changes each time', async () => {
    await createWorkflow(acme, [extended, mail])
    const transactionId = await trigger(acme)
    await world.work()
    const only = (day: string) => setSchedule({ isEnabled: true, days: [{ day, hours }] })
    const dueAt = async () => (await adasRun(acme, transactionId)).steps[0].dueAt
    at('2027-01-04T19:00:00Z')
    await world.work()
    expect(await dueAt()).toBe('2027-01-05T08:00:00.000Z')
    await only('WEDNESDAY')
    at(tuesdayMorning)
    await world.work()
    expect(await dueAt()).toBe('2027-01-06T08:00:00.000Z')
    await only('THURSDAY')
    at('2027-01-06T08:00:00Z')
    await world.work()
    expect(await dueAt()).toBe('2027-01-07T08:00:00.000Z')
    await only('FRIDAY')
    at('2027-01-07T08:00:00Z')
    await world.work()
    expect(await outcomes(acme, transactionId)).toEqual({ wait: 'COMPLETED', mail: 'SKIPPED outside_schedule' })
  })

  test('is shown in a preview as messages that are sent', async () => {
    await createWorkflow(acme, [extended, mail])
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
         runs { steps { stepId status dueAt } }
       } }`,
    )
    expect(previewTrigger.runs[0].steps).toMatchObject([
      { stepId: 'wait', status: 'COMPLETED', dueAt: '2027-01-05T08:00:00.000Z' },
      { stepId: 'mail', status: 'SENT' },
    ])
  })
})

describe('a schedule', () => {
  const schedule =
    '{ subscriber(subscriberId: "ada") { preferences { schedule { isEnabled days { day isEnabled hours { start end } } } } } }'

  test('is replaced and removed', async () => {
    const friday = [{ start: '08:30 AM', end: '12:00 AM' }]
    await setSchedule({
      isEnabled: true,
      days: [
        { day: 'SUNDAY', isEnabled: false, hours: [] },
        { day: 'FRIDAY', hours: friday },
      ],
    })
    expect(await acme.ask(schedule)).toEqual({
      subscriber: {
        preferences: {
          schedule: {
            isEnabled: true,
            days: [
              { day: 'FRIDAY', isEnabled: true, hours: [{ start: '08:30', end: '24:00' }] },
              { day: 'SUNDAY', isEnabled: false, hours: [] },
            ],
          },
        },
      },
    })
    await setSchedule(null)
    expect(await acme.ask(schedule)).toEqual({ subscriber: { preferences: { schedule: null } } })
  })

  test('stays when channels change, and channels stay when it changes', async () => {
    await done(acme, 'updateSubscriberPreferences', {
      subscriberId: 'ada',
      channels: [{ channel: 'SMS', enabled: false }],
    })
    await setSchedule({ isEnabled: false })
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { preferences { schedule { isEnabled } channels { channel enabled } } } }',
    )
    expect(subscriber.preferences.schedule).toEqual({ isEnabled: false })
    expect(subscriber.preferences.channels).toContainEqual({ channel: 'SMS', enabled: false })
  })

  test.each([
    [
      'hours that end before they begin',
      {
        days: [
          { day: 'SUNDAY', hours },
          { day: 'MONDAY', hours: [{ start: '22:00', end: '06:00' }] },
        ],
      },
      ['schedule', 'days', '1', 'hours', '0', 'end'],
    ],
    [
      'a time that is none',
      { days: [{ day: 'MONDAY', hours: [{ start: '9h', end: '17:00' }] }] },
      ['schedule', 'days', '0', 'hours', '0', 'start'],
    ],
  ])('with %s is an error that names the field', async (_what, days, field) => {
    const { userErrors } = await acme.act('updateSubscriberPreferences', {
      subscriberId: 'ada',
      schedule: { isEnabled: true, ...days },
    })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  })

  test('for one workflow is an error', async () => {
    await createWorkflow(acme, [mail])
    const { userErrors } = await acme.act('updateSubscriberPreferences', {
      subscriberId: 'ada',
      workflowIdentifier: 'order',
      schedule: office,
    })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['schedule'] }])
  })

  test('is part of the export of the subscriber, and of the sets of contexts with preferences', async () => {
    const { subscriber, subscriberExport } = await acme.ask(
      `{ subscriber(subscriberId: "ada") { preferenceContexts { contextKeys } }
         subscriberExport(subscriberId: "ada") }`,
    )
    expect(subscriber.preferenceContexts).toEqual([{ contextKeys: [] }])
    expect(subscriberExport).toMatchObject({
      preferences: [{ schedule: { isEnabled: true, weeklySchedule: { monday: { isEnabled: true, hours } } } }],
    })
  })
})
