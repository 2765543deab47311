// What follows the example messages: reports of their provider, suppressed addresses, choices of recipients and what they
// did with their notifications, a connected workspace, and a webhook subscription with its log.
import { settleExampleWebhooks } from '../../data/example/example-rows.ts'
import { category } from '../../domain/category.ts'
import { createChannelEndpoint } from '../../domain/channel-endpoint.ts'
import { recordReports } from '../../domain/execution/delivery-report.ts'
import { completeNotificationAction } from '../../domain/feed/notification-action.ts'
import { snoozeNotification } from '../../domain/feed/snooze.ts'
import { createIntegration, integration } from '../../domain/integration.ts'
import { writeChoices } from '../../domain/preference/change-preference.ts'
import { updateSubscriberPreferences } from '../../domain/preference/preference.ts'
import type { ApiKeyCaller } from '../../domain/resolver/caller.ts'
import { permissionsOfProvider } from '../../domain/resolver/permission.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { createSuppressions } from '../../domain/suppression/suppression.ts'
import { createWebhookSubscription, updateWebhookSubscription } from '../../domain/webhook/webhook-subscription.ts'
import { createChannelConnection } from '../../domain/workspace/channel-connection.ts'
import { people, SINK } from './people.ts'
import { scopeAt } from './simulate.ts'

/** Milliseconds from a message to its report. */
const UNTIL_REPORT = 4_000

/** Of the emails, one in this many bounces, and the one at this place is a complaint. The last ones have no report yet. */
const BOUNCED = 60
const COMPLAINED = 25
const UNREPORTED = 5

const WEBHOOK = 'demo-crm'

const DAY = 24 * 3_600_000

/** For how many days the newest unread comments are snoozed. */
const SNOOZED = [1, 7, 30]

/** How many people took the tour of the newest welcomes. */
const COMPLETED = 5

interface Example {
  /** The scope that created the environment. */
  readonly creator: Scope
  /** The first API key of the environment. */
  readonly caller: ApiKeyCaller
  readonly at: Date
}

/** The report about an email, whose index decides what happened to it. */
function reportOf({ id, updatedAt }: { readonly id: string; readonly updatedAt: Date }, index: number) {
  const shared = { deliveryId: id, at: new Date(updatedAt.getTime() + UNTIL_REPORT), key: `example/${id}` }
  if (index === COMPLAINED) return { ...shared, kind: 'complained' as const }
  if (index % BOUNCED !== BOUNCED - 1) return { ...shared, kind: 'delivered' as const, detail: '250 2.0.0 OK' }
  return { ...shared, kind: 'bounced_hard' as const, code: '5.1.1', detail: '550 5.1.1 The address does not exist.' }
}

/** Reports what happened to the emails, oldest first. */
async function reportEmails({ creator, caller, at }: Example): Promise<void> {
  const scope = scopeAt(creator, caller, at)
  const { db, environmentId } = scope
  const found = await integration(scope, { identifier: 'demo-email' })
  if (found === null) throw new Error('the example data has no email integration')
  const emails = await db.delivery.findMany({
    where: { environmentId, integrationId: found.id, status: 'sent' },
    orderBy: [{ updatedAt: 'asc' }, { id: 'asc' }],
    select: { id: true, updatedAt: true },
  })
  const { organizationId, database } = caller
  const permissions = permissionsOfProvider
  const of = { environmentId, organizationId, database, permissions } as const
  const provider = { kind: 'provider', ...of, integrationId: found.id } as const
  await recordReports(scopeAt(creator, provider, at), {
    providerId: found.providerId,
    reports: emails.slice(0, -UNREPORTED).map(reportOf),
    lastReportAt: null,
  })
}

/** Some people unsubscribed by a link of the example messages, and some came back. */
async function choose(scope: Scope): Promise<void> {
  const news = await category(scope, { key: 'news' })
  if (news === null) throw new Error('the example data has no category for news')
  const subject = { scope: 'category', id: news.id, key: news.key } as const
  const choicesOf = (which: number, enabled: boolean) =>
    people
      .filter((_, index) => index % 20 === which)
      .map(({ profile: { subscriberId } }) => ({
        subscriberId,
        contextKeys: [],
        subject,
        channels: { email: enabled },
      }))
  await scope.transaction(async (inner) => {
    await writeChoices(inner, choicesOf(7, false), { source: 'one_click' })
    await writeChoices(inner, choicesOf(13, false), { source: 'preference_page' })
    await writeChoices(inner, choicesOf(13, true), { source: 'preference_page' })
  })
}

/** Returns the newest notifications of a workflow. @param unread true for those that nobody has read. */
const newestOf = ({ db, environmentId }: Scope, workflowIdentifier: string, take: number, unread = false) =>
  db.notification.findMany({
    where: { environmentId, workflowIdentifier, ...(unread && { readAt: null }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true },
    take,
  })

/** Some people snoozed comments, and some took the tour. */
async function useFeeds(scope: Scope): Promise<void> {
  const comments = await newestOf(scope, 'comment-added', SNOOZED.length, true)
  for (const [index, { id }] of comments.entries()) {
    const until = new Date(scope.now().getTime() + (SNOOZED[index] ?? 1) * DAY)
    await snoozeNotification(scope, { id, until })
  }
  const welcomes = await newestOf(scope, 'welcome', COMPLETED)
  for (const { id } of welcomes) await completeNotificationAction(scope, { id, action: 'primary' })
}

/** One person wants messages in the hours of work only. No example message waits for them. */
async function schedule(scope: Scope): Promise<void> {
  const found = people.find(({ profile }) => profile.timezone === 'Europe/Berlin')
  if (found === undefined) throw new Error('the example data has nobody in Berlin')
  const atWork = { isEnabled: true, hours: [{ start: '09:00', end: '17:00' }] }
  const weeklySchedule = { monday: atWork, tuesday: atWork, wednesday: atWork, thursday: atWork, friday: atWork }
  const { subscriberId } = found.profile
  await updateSubscriberPreferences(scope, { subscriberId, schedule: { isEnabled: true, weeklySchedule } })
}

/** Connects a workspace of Slack, which future incidents also reach. */
async function connectWorkspace(scope: Scope): Promise<void> {
  const onCall = people.find(({ isOnCall }) => isOnCall)
  if (onCall === undefined) throw new Error('the example data has nobody on call')
  const integrationIdentifier = 'demo-slack'
  const { identifier: tenant, name } = onCall.tenant
  await createIntegration(scope, {
    ...{ identifier: integrationIdentifier, name: 'Slack', providerId: 'slack' },
    credentials: { baseUrl: `${SINK}/slack` },
  })
  const connectionIdentifier = `demo-slack-${tenant}`
  await createChannelConnection(scope, {
    ...{ identifier: connectionIdentifier, integrationIdentifier, connectionMode: 'shared' },
    workspace: { id: 'T0DEMO', name, botUserId: 'U0DEMO' },
    auth: { accessToken: 'demo-workspace-token' },
  })
  await createChannelEndpoint(scope, {
    ...{ integrationIdentifier, connectionIdentifier, subscriberId: onCall.profile.subscriberId },
    type: 'workspace_chat_channel',
    endpoint: { channelId: 'C0INCIDENTS' },
  })
}

/** Adds what follows the messages. The webhook subscription is inactive in the end: its receiver does not exist. */
export async function addExampleOutcomes(example: Example): Promise<void> {
  const scope = scopeAt(example.creator, example.caller, example.at)
  await createWebhookSubscription(scope, {
    identifier: WEBHOOK,
    description: 'Tells the CRM who can no longer be reached.',
    url: 'https://crm.example/hooks/notifications',
    eventTypes: ['message.bounced', 'message.complained', 'suppression.created', 'preference.updated'],
  })
  await createSuppressions(scope, {
    suppressions: ['former', 'no-reply', 'test'].map((name) => ({
      channel: 'email' as const,
      address: `${name}@acme.example`,
      reason: 'import' as const,
      detail: 'On the list of the previous service.',
    })),
  })
  await reportEmails(example)
  await choose(scope)
  await useFeeds(scope)
  await schedule(scope)
  await connectWorkspace(scope)
  await settleExampleWebhooks(scope)
  await updateWebhookSubscription(scope, { identifier: WEBHOOK, active: false })
}
