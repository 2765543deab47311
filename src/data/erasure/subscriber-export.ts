// Reads all rows about one subscriber, for the subscriber's export.
import type { Tenant } from '../reading/loader.ts'

/** Maximum rows of each list. */
export const MAX_EXPORTED = 10_000

const times = { createdAt: true, updatedAt: true } as const
const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] as const

/** The rows about a subscriber. */
export type ExportedRows = NonNullable<Awaited<ReturnType<typeof exportedRows>>>

/** Reads everything about a subscriber. @returns undefined if it does not exist. */
export async function exportedRows({ db, environmentId }: Tenant, subscriberId: string) {
  const where = { environmentId, subscriberId }
  const [subscriber] = await db.subscriber.findMany({
    where,
    omit: { environmentId: true, searchText: true, name: true },
    take: 1,
  })
  if (subscriber === undefined) return undefined
  const page = { where, orderBy: [...newestFirst], take: MAX_EXPORTED + 1 }
  // Never contains secrets, because the document may be passed on.
  const credentials = await db.subscriberCredential.findMany({
    where,
    select: { providerId: true, integrationIdentifier: true, ...times },
    take: MAX_EXPORTED + 1,
  })
  const channelEndpoints = await db.channelEndpoint.findMany({
    ...page,
    omit: { environmentId: true, secret: true, fingerprint: true, subscriberId: true },
  })
  const channelConnections = await db.channelConnection.findMany({
    ...page,
    omit: { environmentId: true, secret: true, subscriberId: true },
  })
  const topicSubscriptions = await db.topicSubscription.findMany({
    where,
    select: { identifier: true, topicKey: true, name: true, contextKeys: true, ...times },
    take: MAX_EXPORTED + 1,
  })
  const preferences = await db.subscriberPreference.findMany({
    where,
    select: {
      contextKeys: true,
      enabled: true,
      channels: true,
      schedule: true,
      workflow: { select: { identifier: true } },
      category: { select: { key: true } },
      ...times,
    },
    take: MAX_EXPORTED + 1,
  })
  const preferenceChanges = await db.preferenceChange.findMany({
    ...page,
    omit: { environmentId: true, id: true, subscriberId: true },
  })
  const notifications = await db.notification.findMany({
    ...page,
    omit: { environmentId: true, subscriberId: true, stepRunId: true, eventId: true },
  })
  const runs = await db.workflowRun.findMany({
    // A subscriber that was deleted and created again under its id is a different subscriber.
    where: { ...where, subscriberRowId: subscriber.id },
    orderBy: [...newestFirst],
    take: MAX_EXPORTED + 1,
    select: {
      eventId: true,
      status: true,
      outcome: true,
      reason: true,
      reasonStepId: true,
      error: true,
      ...times,
      steps: {
        orderBy: { position: 'asc' },
        select: {
          stepId: true,
          type: true,
          status: true,
          reason: true,
          detail: true,
          dueAt: true,
          ...times,
          deliveries: {
            select: {
              id: true,
              channel: true,
              providerId: true,
              target: true,
              content: true,
              status: true,
              ...times,
              attempts: {
                orderBy: { number: 'asc' },
                select: { number: true, status: true, error: true, answer: true, startedAt: true, endedAt: true },
              },
              reports: {
                orderBy: [{ receivedAt: 'asc' }, { key: 'asc' }],
                select: { kind: true, at: true, address: true, detail: true, code: true, receivedAt: true },
              },
            },
          },
        },
      },
    },
  })
  const events = await db.event.findMany({
    where: { environmentId, id: { in: runs.map(({ eventId }) => eventId) } },
    orderBy: [...newestFirst],
    select: {
      id: true,
      transactionId: true,
      workflowIdentifier: true,
      payload: true,
      overrides: true,
      contextKeys: true,
      attachments: {
        orderBy: { position: 'asc' },
        select: { name: true, contentType: true, attachment: { select: { size: true, sha256: true } } },
      },
      cancelledAt: true,
      createdAt: true,
    },
  })
  const unprocessedTriggers = await db.unprocessedTrigger.findMany({
    // Other recipients of the trigger are other persons.
    where: { environmentId, recipients: { array_contains: [{ subscriberId }] } },
    orderBy: [...newestFirst],
    take: MAX_EXPORTED + 1,
    select: {
      kind: true,
      workflowIdentifier: true,
      transactionId: true,
      code: true,
      errors: true,
      count: true,
      ...times,
    },
  })
  const lists = {
    unprocessedTriggers,
    credentials,
    channelEndpoints,
    channelConnections,
    topicSubscriptions,
    preferences,
    preferenceChanges,
    notifications,
    events,
  }
  const truncated = Object.entries(lists).flatMap(([name, { length }]) => (length > MAX_EXPORTED ? [name] : []))
  return {
    subscriber,
    credentials: credentials.slice(0, MAX_EXPORTED),
    channelEndpoints: channelEndpoints.slice(0, MAX_EXPORTED),
    channelConnections: channelConnections.slice(0, MAX_EXPORTED),
    topicSubscriptions: topicSubscriptions.slice(0, MAX_EXPORTED),
    preferences: preferences.slice(0, MAX_EXPORTED),
    preferenceChanges: preferenceChanges.slice(0, MAX_EXPORTED),
    notifications: notifications
      .slice(0, MAX_EXPORTED)
      .map(({ firstCreatedAt, ...row }) => ({ ...row, createdAt: firstCreatedAt ?? row.createdAt })),
    unprocessedTriggers: unprocessedTriggers.slice(0, MAX_EXPORTED),
    runs,
    events: events.slice(0, MAX_EXPORTED),
    truncated,
  }
}
