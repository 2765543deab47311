// Routes of a session's own feed.
import { z } from 'zod'
import { notificationCountsByFilter } from '../../../../domain/feed/filter-count.ts'
import type { Path } from '../../../../lib/errors.ts'
import { route, type Route } from '../../../route.ts'
import { actionChanges, novuFeedRoutes } from '../routes/feed.ts'
import { filterPath } from '../words/feed-filter.ts'
import { countQuery, countsOf, countView, showCounts } from '../words/feed-page.ts'
import { itemView, showItem } from '../words/item.ts'
import { prefix } from '../words/prefix.ts'
import { enveloped, inbox, inEnvelope, ofSession, ownerIn } from './own.ts'

const path = `${inbox}/notifications` as const

/** Returns the route of a subscriber with this method and the end of its path, for the session. */
function own(method: string, end: string, ownEnd = end): Route {
  const name = `${method} ${prefix}/v2/subscribers/{subscriberId}/notifications${end}`
  const found = novuFeedRoutes.find((route) => route.name === name)
  if (found === undefined) throw new Error(`there is no route ${name}`)
  return ofSession(found, `${path}${ownEnd}`)
}

function changeAction(verb: keyof typeof actionChanges): Route {
  const { resolver, summary } = actionChanges[verb]
  const { action } = resolver.definition.input.shape
  return route({
    method: 'patch',
    path: `${path}/{id}/${verb}`,
    operationId: `own.${resolver.definition.name}`,
    summary: `${summary} an action of a notification`,
    example: { actionType: 'primary' },
    params: z.object({ id: z.string().meta({ description: '`id` of the notification.' }) }),
    body: z.object({ actionType: action.meta({ description: 'The action.' }) }),
    resolver,
    input: ({ params, body: { actionType } }, scope) => ({ ...params, ...ownerIn(scope), action: actionType }),
    nameOf: ([field = '', ...rest]: Path) => [field === 'action' ? 'actionType' : field, ...rest],
    statuses: [200],
    response: inEnvelope(itemView),
    view: async (row, scope) => ({ data: await showItem(row, scope) }),
  })
}

const marks = ['read', 'unread', 'archive', 'unarchive', 'snooze', 'unsnooze']

export const novuOwnFeedRoutes = [
  own('GET', ''),
  route({
    method: 'get',
    path: `${path}/count`,
    operationId: 'own.notification.countByFilter',
    summary: "Count the notifications of the session's feed by each of several filters",
    query: countQuery,
    resolver: notificationCountsByFilter,
    input({ query }, scope) {
      const owner = ownerIn(scope)
      const { filters, contextKeys = owner.contextKeys } = countsOf(query)
      return { ...owner, contextKeys, filters }
    },
    nameOf: filterPath,
    statuses: [200],
    response: inEnvelope(countView),
    view: (counts, _scope, { query }) => ({ data: showCounts(counts, query) }),
  }),
  ...marks.map((verb) => enveloped(own('PATCH', `/{id}/${verb}`))),
  changeAction('complete'),
  changeAction('revert'),
  ...['read', 'archive', 'read-archive', 'seen', 'delete'].map((verb) => own('POST', `/${verb}`)),
  own('DELETE', '/{id}', '/{id}/delete'),
]
