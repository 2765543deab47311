// The route that opens a session of the browser inbox.
import { z } from 'zod'
import { MAX_SNOOZE_DAYS } from '../../../../domain/feed/snooze.ts'
import { notificationCounts } from '../../../../domain/notification.ts'
import { openSession } from '../../../../domain/preference/open-session.ts'
import { type OpenedSession, scopeOfOpened } from '../../../../domain/session.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import type { Path } from '../../../../lib/errors.ts'
import { route } from '../../../route.ts'
import { inbox, inEnvelope } from './own.ts'

const { shape } = openSession.definition.input
const profile = shape.profile.unwrap().unwrap()

const count = z.number().int()

const view = z
  .object({
    token: z.string().meta({ description: 'Token that the page sends as `Authorization: Bearer <token>`.' }),
    totalUnreadCount: count,
    unreadCount: z.object({
      total: count,
      severity: z.object({ high: count, medium: count, low: count, none: count }),
    }),
    removeNovuBranding: z.literal(true),
    isDevelopmentMode: z.literal(false),
    maxSnoozeDurationHours: count.meta({ description: 'Maximum hours for which a notification can be snoozed.' }),
    contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`, sorted.' }),
  })
  .meta({ id: 'NovuSession', description: 'Access of a page to one subscriber in one set of contexts, for 15 days.' })

async function show(opened: OpenedSession, scope: DoorScope): Promise<z.input<typeof view>> {
  const { subscriberId, contextKeys } = opened.session
  const owner = { subscriberId, contextKeys: [...contextKeys] }
  const { unread, unreadBySeverity } = await notificationCounts(scopeOfOpened(scope, opened), owner)
  return {
    token: opened.token,
    totalUnreadCount: unread,
    unreadCount: { total: unread, severity: unreadBySeverity },
    removeNovuBranding: true,
    isDevelopmentMode: false,
    maxSnoozeDurationHours: MAX_SNOOZE_DAYS * 24,
    contextKeys: owner.contextKeys,
  }
}

/** The name of a field in the request. */
function nameOf([field = '', ...rest]: Path): Path {
  if (field === 'profile') return ['subscriber', ...rest]
  return field === 'subscriberId' ? ['subscriber', field] : [field, ...rest]
}

export const novuSessionRoutes = [
  route({
    method: 'post',
    path: `${inbox}/session`,
    summary: 'Open a session of the browser inbox',
    example: { applicationIdentifier: 'aBcDeFgHiJkL', subscriber: { subscriberId: 'ada' }, subscriberHash: '6f59..' },
    environmentField: 'applicationIdentifier',
    body: z.object({
      applicationIdentifier: z.string().meta({ description: 'Public identifier of the environment.' }),
      subscriber: profile
        .extend({
          subscriberId: shape.subscriberId,
          timezone: z
            .string()
            .nullish()
            .meta({ description: 'Time zone of the browser. Has no effect if it is unknown.' }),
        })
        .meta({ description: 'The subscriber. The profile has no effect without `subscriberHash`.' }),
      subscriberHash: shape.subscriberHash.meta({
        description:
          'HMAC-SHA256 of `subscriberId` in lowercase hex. Required unless the environment allows unsigned sessions.',
      }),
      context: shape.context.meta({ description: 'Contexts by type: an id, or `{ id, data }`.' }),
      contextHash: shape.contextHash.meta({
        description: 'HMAC-SHA256 of `context` as canonical JSON. Required with a context, like `subscriberHash`.',
      }),
      defaultSchedule: shape.defaultSchedule.meta({
        description:
          'Schedule of the subscriber under the contexts of the session. No effect if there is one, or if the session is not signed.',
      }),
    }),
    resolver: openSession,
    input({ body: { subscriber, subscriberHash, context, contextHash, defaultSchedule } }) {
      const { subscriberId, timezone, ...given } = subscriber
      const known = profile.shape.timezone.safeParse(timezone)
      const ofProfile = { ...given, ...(known.success && { timezone: known.data }) }
      return {
        ...{ subscriberId, subscriberHash, context, contextHash, defaultSchedule },
        ...{ profile: ofProfile, kind: 'lasting' as const },
      }
    },
    nameOf,
    statuses: [201],
    response: inEnvelope(view),
    view: async (opened, scope) => ({ data: await show(opened, scope) }),
  }),
]
