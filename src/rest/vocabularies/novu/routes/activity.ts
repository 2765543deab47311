// Routes of activities: the runs of workflows, with their steps.
import { z } from 'zod'
import { stepRunsOf, type WorkflowRun, workflowRun, workflowRuns } from '../../../../domain/execution/run.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { subscribers } from '../../../../domain/subscriber.ts'
import { workflow } from '../../../../domain/workflow.ts'
import { type Path, refuse } from '../../../../lib/errors.ts'
import { MAX_PAGE_SIZE } from '../../../../lib/page.ts'
import { MAX_FILTER_VALUES } from '../../../../lib/several.ts'
import { route } from '../../../route.ts'
import { found } from '../../../views.ts'
import { activityView, showActivity } from '../words/activity.ts'
import { numberedPage, numberedQuery, numberedSchema, showNumbered } from '../words/numbered-page.ts'
import { prefix } from '../words/prefix.ts'
import { unsupported } from '../words/unsupported.ts'

const date = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const several = z.array(z.string()).max(MAX_FILTER_VALUES)

const query = numberedQuery.extend({
  templates: several.optional().meta({ description: 'Workflows, by `_id`.' }),
  emails: several.optional().meta({ description: 'Recipients, by their current email addresses.' }),
  subscriberIds: several.optional().meta({ description: 'Recipients, by subscriber id.' }),
  transactionId: z.string().optional().meta({ description: 'Transaction id of the event.' }),
  contextKeys: z.array(z.string()).optional().meta({ description: 'Exact contexts of the event.' }),
  after: date.optional().meta({ description: 'Created at this time or later, in ISO 8601.' }),
  before: date.optional().meta({ description: 'Created before this time, in ISO 8601.' }),
  channels: unsupported('filter by workflow'),
  search: unsupported('filter by transactionId, subscriberIds or emails'),
  severity: unsupported('filter by workflow'),
  topicKey: unsupported('filter by transactionId'),
  subscriptionId: unsupported('filter by subscriberIds'),
})
type Query = z.output<typeof query>

/** Returns the identifiers of workflows. @throws Refusal `INVALID` for an id that no workflow has. */
async function identifiersOf(scope: DoorScope, ids: readonly string[]): Promise<string[]> {
  const rows = await Promise.all(
    ids.map((id) => (z.uuid().safeParse(id).success ? workflow(scope, { id }) : Promise.resolve(null))),
  )
  return rows.map((row, place) => {
    if (row !== null) return row.identifier
    throw refuse('INVALID', 'templates must be ids of workflows', 'templates', ids[place])
  })
}

/** Returns the recipients that a filter names. Undefined for all. @throws Refusal `INVALID` if an address has too many. */
async function recipientsOf(scope: DoorScope, { emails, subscriberIds }: Query): Promise<string[] | undefined> {
  if (emails === undefined || emails.length === 0) return subscriberIds
  const pages = await Promise.all(
    emails.map((email) => subscribers(scope, { page: { first: MAX_PAGE_SIZE }, filter: { email } })),
  )
  const named = pages.flatMap(({ rows }) => rows.map((row) => row.subscriberId))
  const both = named.filter((id) => subscriberIds?.includes(id) ?? true)
  if (pages.every(({ hasNext }) => !hasNext) && both.length <= MAX_FILTER_VALUES) return both
  throw refuse('INVALID', `emails must belong to at most ${MAX_FILTER_VALUES} subscribers`, 'emails', emails)
}

/** No subscriber has this id, because ids are not empty. */
const NOBODY = ''

const orUndefined = (list: string[] | undefined) => (list?.length === 0 ? undefined : list)

async function filterOf(scope: DoorScope, given: Query) {
  const [workflowIdentifiers, recipients] = await Promise.all([
    identifiersOf(scope, given.templates ?? []),
    recipientsOf(scope, { ...given, subscriberIds: orUndefined(given.subscriberIds) }),
  ])
  const { transactionId, contextKeys, after, before } = given
  return {
    transactionId,
    contextKeys,
    workflowIdentifiers: orUndefined(workflowIdentifiers),
    subscriberIds: recipients?.length === 0 ? [NOBODY] : recipients,
    createdAfter: after,
    createdBefore: before,
  }
}

const names: Readonly<Record<string, string>> = { createdAfter: 'after', createdBefore: 'before', skip: 'page' }
const nameOf = ([field, ...rest]: Path): Path =>
  typeof field === 'string' ? [names[field] ?? field, ...rest] : field === undefined ? [] : [field, ...rest]

export const novuActivityRoutes = [
  route({
    method: 'get',
    path: `${prefix}/v1/notifications`,
    summary: 'List activities: the runs of workflows, newest first',
    query,
    resolver: workflowRuns,
    input: async ({ query }, scope) => ({ page: numberedPage(query), filter: await filterOf(scope, query) }),
    nameOf,
    statuses: [200],
    response: numberedSchema(activityView),
    view: (page, scope, { query }) => showNumbered(page, query, (row: WorkflowRun) => showActivity(row, scope)),
  }),
  route({
    method: 'get',
    path: `${prefix}/v1/notifications/{id}`,
    summary: 'Read an activity',
    params: z.object({ id: z.string().meta({ description: '`_id` of the activity.' }) }),
    operationId: 'workflowRun.get',
    resolver: stepRunsOf,
    input: ({ params: { id } }) => ({ runId: id }),
    nameOf: (path) => (path[0] === 'runId' ? ['id'] : path),
    statuses: [200],
    response: activityView,
    async view(_steps, scope, { params: { id } }) {
      return showActivity(found(await workflowRun(scope, { id }), 'Activity', id), scope)
    },
  }),
]
