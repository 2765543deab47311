// Tenancy cases: naming what a stream follows in another environment, and the in-app feed.
import { expect } from 'vitest'
import { type Case, doesNotFind, findsNothing, makesItsOwn, ofAda } from './case.ts'

const acme = { contextKeys: ['tenant:acme'] }

/** The subscription is rejected as if Ada did not exist. */
const isNotFollowed =
  (field: string): Case =>
  async ({ graces }) => {
    const stream = await graces.client.follow(`subscription { ${field}(subscriberId: "ada") { __typename } }`)
    expect(await stream.rest()).toMatchObject([{ errors: [{ extensions: { code: 'NOT_FOUND' } }] }])
  }

/** The conditions of a stream of changes, with names of Ada's. */
const conditions = {
  transactionId: 'order-1',
  workflowIdentifier: 'order-shipped',
  workflowIdentifiers: ['order-shipped'],
  subscriberId: 'ada',
  subscriberIds: ['ada'],
  contextKeys: ['tenant:acme'],
}

/** The stream begins as for a name that does not exist. test/execution/change-stream.test.ts shows that it receives nothing. */
const followsNothing = (field: 'eventsChanged' | 'deliveriesChanged', given: object): Record<string, Case> =>
  Object.fromEntries(
    Object.entries(given).map(([condition, value]) => [
      `Subscription.${field}(filter.${condition})`,
      async ({ graces }) => {
        const filter = `{ ${condition}: ${JSON.stringify(value)} }`
        const stream = await graces.client.follow(`subscription { ${field}(filter: ${filter}) { hasMore } }`)
        expect(await stream.next()).toEqual({ data: { [field]: { hasMore: true } } })
        await stream.leave()
      },
    ]),
  )

export const casesOfFeeds: Record<string, Case> = {
  'Subscriber.notifications(contextKeys)': findsNothing(
    '{ subscriber(subscriberId: "grace") { notifications(contextKeys: ["tenant:acme"]) { nodes { id } } } }',
  ),
  'Subscriber.notificationCounts(contextKeys)': async ({ graces }) => {
    const query = '{ subscriber(subscriberId: "grace") { notificationCounts(contextKeys: ["tenant:acme"]) { total } } }'
    expect(await graces.client.ask(query)).toEqual({ subscriber: { notificationCounts: { total: 0 } } })
  },
  'Subscriber.notificationCountsByFilter(contextKeys)': async ({ graces }) => {
    const query =
      '{ subscriber(subscriberId: "grace") { notificationCountsByFilter(contextKeys: ["tenant:acme"], filters: [{}]) } }'
    expect(await graces.client.ask(query)).toEqual({ subscriber: { notificationCountsByFilter: [0] } })
  },
  ...followsNothing('eventsChanged', conditions),
  ...followsNothing('deliveriesChanged', {
    ...conditions,
    integrationIdentifier: 'slack',
    integrationIdentifiers: ['slack'],
  }),
  // test/domain/notification-stream.test.ts shows that the stream receives nothing.
  'Subscription.notificationReceived(subscriberId)': isNotFollowed('notificationReceived'),
  'Subscription.notificationReceived(contextKeys)': async ({ graces }) => {
    const stream = await graces.client.follow(
      'subscription { notificationReceived(subscriberId: "grace", contextKeys: ["tenant:acme"]) { id } }',
    )
    await stream.leave()
  },
  'Subscription.notificationCountsChanged(subscriberId)': isNotFollowed('notificationCountsChanged'),
  'Subscription.notificationCountsChanged(contextKeys)': async ({ graces }) => {
    const stream = await graces.client.follow(
      'subscription { notificationCountsChanged(subscriberId: "grace", contextKeys: ["tenant:acme"]) { total } }',
    )
    expect(await stream.next()).toEqual({ data: { notificationCountsChanged: { total: 0 } } })
  },
  'Mutation.markNotification(input.id)': doesNotFind('markNotification', (_graces, { Notification }) => ({
    id: Notification,
    as: 'ARCHIVED',
  })),
  ...Object.fromEntries(
    [
      ['snoozeNotification', { until: new Date(Date.now() + 86_400_000).toISOString() }] as const,
      ['unsnoozeNotification', {}] as const,
      ['completeNotificationAction', { action: 'PRIMARY' }] as const,
      ['revertNotificationAction', { action: 'PRIMARY' }] as const,
    ].flatMap(([name, more]) => [
      [`Mutation.${name}(input.id)`, doesNotFind(name, (_graces, { Notification }) => ({ id: Notification, ...more }))],
    ]),
  ),
  'Mutation.deleteNotification(input.id)': doesNotFind('deleteNotification', (_graces, { Notification }) => ({
    id: Notification,
  })),
  'Mutation.deleteNotifications(input.subscriberId)': doesNotFind('deleteNotifications', { ...ofAda, ...acme }),
  'Mutation.deleteNotifications(input.contextKeys)': makesItsOwn(
    'deleteNotifications',
    { subscriberId: 'grace', ...acme, filter: { archived: false } },
    'deleted',
    { deleted: 0 },
  ),
  'Mutation.deleteNotifications(input.ids)': makesItsOwn(
    'deleteNotifications',
    (_graces, { Notification }) => ({ subscriberId: 'grace', ...acme, ids: [Notification] }),
    'deleted',
    { deleted: 0 },
  ),
  'Mutation.markNotifications(input.subscriberId)': doesNotFind('markNotifications', {
    ...ofAda,
    ...acme,
    as: 'ARCHIVED',
  }),
  'Mutation.markNotifications(input.contextKeys)': makesItsOwn(
    'markNotifications',
    { subscriberId: 'grace', ...acme, as: 'ARCHIVED' },
    'updated',
    { updated: 0 },
  ),
  'Mutation.markNotifications(input.ids)': makesItsOwn(
    'markNotifications',
    (_graces, { Notification }) => ({ subscriberId: 'grace', ...acme, ids: [Notification], as: 'ARCHIVED' }),
    'updated',
    { updated: 0 },
  ),
}
