// What can be done with many objects at once: one by one by their names, or with all that match a filter of the graph.
import type { Client } from 'urql'
import { type Outcome, sendAct } from '../../graph/act.ts'
import type { VariablesOf } from '../../graph/graphql.ts'
import {
  cancelEvent,
  cancelEvents,
  cancelWorkflowRun,
  cancelWorkflowRuns,
  deleteIntegration,
  deleteMatchingTopicSubscriptions,
  deleteSubscriber,
  deleteSubscribers,
  deleteTopicSubscriptions,
  retryDeliveries,
  retryDelivery,
  retryEvent,
  retryWorkflowRun,
  retryWorkflowRuns,
  revokeApiKey,
} from './documents.ts'

/** The result of one call for all that match. */
export interface Portion {
  readonly done: number
  readonly remaining: number
  /** True if another call is needed. */
  readonly hasMore: boolean
  /** The place at which the next call starts. Null if it starts at the beginning, or if nothing remains. */
  readonly next: string | null
}

/** How a call continues. */
interface CallOptions {
  readonly dryRun?: boolean
  readonly after?: string | null
}

export interface Act {
  readonly one: string
  readonly many: string
  /** The act in progress, such as `Deleting`. */
  readonly doing: string
  /** The act once it is done, such as `deleted`. */
  readonly did: string
  /** Acts on one object, by its name. */
  single(client: Client, name: string): Promise<Outcome<unknown>>
  /** True if a filter can exclude objects that are created after the act was started. */
  readonly takesCreatedBefore?: true
  /** Acts on all that match a filter. Absent if the graph has no such mutation. */
  matching?(client: Client, filter: object, options: CallOptions): Promise<Outcome<Portion>>
}

/** Returns the outcome with what the page needs of its payload. */
const read = <From, To>(outcome: Outcome<From>, portionOf: (payload: From) => To): Outcome<To> =>
  outcome.ok ? { ok: true, payload: portionOf(outcome.payload) } : outcome

type FilterOf<Variables> = Variables extends { input: { filter?: infer Filter } } ? NonNullable<Filter> : never

interface Retried {
  readonly retriedCount: number | null
  readonly remainingCount: number | null
  readonly next: string | null
}

const retried = ({ retriedCount, remainingCount, next }: Retried): Portion => ({
  done: retriedCount ?? 0,
  remaining: remainingCount ?? 0,
  hasMore: next !== null,
  next,
})

/** A mutation that is repeated until nothing remains. One that changes nothing is not: others are at work on the rest. */
const ended = (done: number | null, remaining: number | null): Portion => ({
  done: done ?? 0,
  remaining: remaining ?? 0,
  hasMore: (done ?? 0) > 0 && (remaining ?? 0) > 0,
  next: null,
})

interface Deleted {
  readonly deletedCount: number | null
  readonly remainingCount: number | null
}

const deleted = ({ deletedCount, remainingCount }: Deleted): Portion => ended(deletedCount, remainingCount)

/** A name of two parts. The first one has no spaces. */
const pair = (first: string, second: string) => `${first} ${second}`

const partsOf = (name: string): readonly [first: string, second: string] => {
  const space = name.indexOf(' ')
  return [name.slice(0, space), name.slice(space + 1)]
}

/** The name of a topic subscription. */
export const subscriptionName = (topicKey: string, identifier: string): string => pair(topicKey, identifier)

/** The name of an event to retry: its status says whether runs are missing. */
export const retriedEventName = (status: string, transactionId: string): string => pair(status, transactionId)

/** Creates the missing runs of an event that failed, and retries all of its other runs. */
async function retryOneEvent(client: Client, name: string): Promise<Outcome<unknown>> {
  const [status, transactionId] = partsOf(name)
  const isFailed = status === 'FAILED'
  if (isFailed) {
    const created = await sendAct(client, retryEvent, { transactionId })
    if (!created.ok) return created
  }
  let count = 0
  for (let after: string | null | undefined; after !== null;) {
    const outcome = await sendAct(client, retryWorkflowRuns, { filter: { transactionId }, ...(after && { after }) })
    if (!outcome.ok) return outcome
    count += outcome.payload.retriedCount ?? 0
    after = outcome.payload.next
  }
  if (isFailed || count > 0) return { ok: true, payload: null }
  const message = 'The other events have no recipient who missed a message for a reason that a retry can change.'
  return { ok: false, problems: [{ message }] }
}

export const acts = {
  retryMessages: {
    one: 'message',
    many: 'messages',
    doing: 'Retrying',
    did: 'sent again',
    single: (client, id) => sendAct(client, retryDelivery, { id }),
    takesCreatedBefore: true,
    matching: async (client, filter: FilterOf<VariablesOf<typeof retryDeliveries>>, options) =>
      read(await sendAct(client, retryDeliveries, { filter, ...options }), retried),
  },
  retryRunsWithCurrentWorkflow: {
    one: 'run',
    many: 'runs',
    doing: 'Retrying',
    did: 'retried',
    single: (client, id) => sendAct(client, retryWorkflowRun, { id, workflowVersion: 'CURRENT' }),
    takesCreatedBefore: true,
    matching: async (client, filter: FilterOf<VariablesOf<typeof retryWorkflowRuns>>, options) =>
      read(await sendAct(client, retryWorkflowRuns, { filter, workflowVersion: 'CURRENT', ...options }), retried),
  },
  retryRuns: {
    one: 'run',
    many: 'runs',
    doing: 'Retrying',
    did: 'retried',
    single: (client, id) => sendAct(client, retryWorkflowRun, { id }),
    takesCreatedBefore: true,
    matching: async (client, filter: FilterOf<VariablesOf<typeof retryWorkflowRuns>>, options) =>
      read(await sendAct(client, retryWorkflowRuns, { filter, ...options }), retried),
  },
  retryEvents: {
    one: 'event',
    many: 'events',
    doing: 'Retrying',
    did: 'retried',
    single: retryOneEvent,
  },
  cancelEvents: {
    one: 'event',
    many: 'events',
    doing: 'Cancelling',
    did: 'cancelled',
    single: (client, transactionId) => sendAct(client, cancelEvent, { transactionId }),
    takesCreatedBefore: true,
    matching: async (client, filter: FilterOf<VariablesOf<typeof cancelEvents>>, { dryRun = false }) =>
      read(await sendAct(client, cancelEvents, { filter, dryRun }), ({ eventCount, remainingEventCount, hasMore }) => ({
        done: eventCount ?? 0,
        remaining: remainingEventCount ?? 0,
        // A call may cancel many runs of an event and end before the last one.
        hasMore: hasMore === true,
        next: null,
      })),
  },
  cancelRuns: {
    one: 'run',
    many: 'runs',
    doing: 'Cancelling',
    did: 'cancelled',
    single: (client, id) => sendAct(client, cancelWorkflowRun, { id }),
    takesCreatedBefore: true,
    matching: async (client, filter: FilterOf<VariablesOf<typeof cancelWorkflowRuns>>, { dryRun = false }) =>
      read(await sendAct(client, cancelWorkflowRuns, { filter, dryRun }), ({ cancelledCount, remainingCount }) =>
        ended(cancelledCount, remainingCount),
      ),
  },
  deleteSubscribers: {
    one: 'subscriber',
    many: 'subscribers',
    doing: 'Deleting',
    did: 'deleted',
    single: (client, id) => sendAct(client, deleteSubscriber, { id }),
    matching: async (client, filter: FilterOf<VariablesOf<typeof deleteSubscribers>>, { dryRun = false }) =>
      read(await sendAct(client, deleteSubscribers, { filter, dryRun }), deleted),
  },
  unsubscribe: {
    one: 'subscription',
    many: 'subscriptions',
    doing: 'Deleting',
    did: 'deleted',
    single(client, name) {
      const [topicKey, identifier] = partsOf(name)
      return sendAct(client, deleteTopicSubscriptions, { topicKey, subscriptions: [{ identifier }] })
    },
    matching: async (
      client,
      filter: FilterOf<VariablesOf<typeof deleteMatchingTopicSubscriptions>>,
      { dryRun = false },
    ) => read(await sendAct(client, deleteMatchingTopicSubscriptions, { filter, dryRun }), deleted),
  },
  revokeApiKeys: {
    one: 'API key',
    many: 'API keys',
    doing: 'Revoking',
    did: 'revoked',
    single: (client, id) => sendAct(client, revokeApiKey, { id }),
  },
  deleteIntegrations: {
    one: 'integration',
    many: 'integrations',
    doing: 'Deleting',
    did: 'deleted',
    single: (client, identifier) => sendAct(client, deleteIntegration, { identifier }),
  },
} as const satisfies Readonly<Record<string, Act>>

export type ActName = keyof typeof acts

const number = new Intl.NumberFormat()

/** A number of objects in words, such as `1,200 messages`. */
export const counted = (name: ActName, count: number): string =>
  `${number.format(count)} ${count === 1 ? acts[name].one : acts[name].many}`
