// The preferences of a subscriber for single workflows, with the channels that the workflows use.
import { z } from 'zod'
import type { Batch } from '../../data/reading/loader.ts'
import type { PreferenceKey } from '../../data/preference/preference.ts'
import type { Category, Workflow } from '../../data/prisma/client.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { channelsOfWorkflows, workflowPages, workflowsById, workflowsByIdentifier } from '../../data/workflow.ts'
import { type Page, pageRequest } from '../../lib/page.ts'
import { filterOf, storableText, text } from '../../lib/validation.ts'
import { contextKeys } from '../context.ts'
import {
  categoryOfWorkflow,
  type ChannelPreference,
  decideChannel,
  preferencesBySubscriber,
} from './preference-rule.ts'
import { query } from '../resolver/resolver.ts'
import { stepsOf } from '../workflow-step.ts'
import { tags } from '../channel/workflow-fields.ts'

const channelNames = Object.values(Channel)

export interface WorkflowPreference {
  readonly workflow: Workflow
  /** True if at least one of the channels is on. */
  readonly enabled: boolean
  /** The effective preferences of channels. */
  readonly channels: readonly ChannelPreference[]
}

/** The channels that a workflow uses in its active steps. */
export const channelsUsedBy = ({ steps }: Pick<Workflow, 'steps'>): Channel[] =>
  channelNames.filter((channel) => stepsOf(steps).some(({ type, active }) => active && type === channel))

/** The effective preferences of channels for a workflow. */
export function preferenceFor(
  workflow: Workflow,
  category: Category | null,
  channels: readonly Channel[],
  stored: Parameters<typeof decideChannel>[2],
): WorkflowPreference {
  const decided = channels.map((channel) => decideChannel(channel, { workflow, category }, stored))
  return { workflow, enabled: decided.some(({ enabled }) => enabled), channels: decided }
}

const named = z.object({ subscriberId: storableText, contextKeys })
const asOwner = ({ subscriberId, contextKeys }: PreferenceKey) => ({ subscriberId, contextKeys })

/** Lists the preferences for workflows, each with the channels that the workflow uses, oldest workflow first. Batched. */
export const workflowPreferences = query({
  name: 'preference.listOfWorkflows',
  permission: 'preference:read',
  owner: asOwner,
  input: named.extend({
    page: pageRequest,
    filter: filterOf({ tags, active: z.boolean(), search: text(255) }),
  }),
  async run(scope, { page, filter, ...key }): Promise<Page<WorkflowPreference>> {
    const { load, environmentId } = scope
    const orderBy = { field: 'createdAt', direction: 'asc' } as const
    const [stored, found] = await Promise.all([
      load(preferencesBySubscriber, key),
      load(workflowPages, { parent: environmentId, page, orderBy, filter }),
    ])
    const rows = found.rows.map(async (workflow) =>
      preferenceFor(workflow, await categoryOfWorkflow(scope, workflow), channelsUsedBy(workflow), stored),
    )
    return { ...found, rows: await Promise.all(rows) }
  },
})

/** Reads the preference for one workflow, by its id or identifier. Null if there is no such workflow. */
export const workflowPreference = query({
  name: 'preference.getOfWorkflow',
  permission: 'preference:read',
  owner: asOwner,
  input: named.extend({ workflowId: storableText }),
  async run(scope, { workflowId, ...key }): Promise<WorkflowPreference | null> {
    const { load } = scope
    const [stored, workflow] = await Promise.all([
      load(preferencesBySubscriber, key),
      z.uuid().safeParse(workflowId).success
        ? load(workflowsById, workflowId)
        : load(workflowsByIdentifier, workflowId),
    ])
    if (workflow === null) return null
    return preferenceFor(workflow, await categoryOfWorkflow(scope, workflow), channelsUsedBy(workflow), stored)
  },
})

/** Lists the channels that any workflow uses, with the preference for all workflows. Batched. */
export const usedChannels = query({
  name: 'preference.listUsedChannels',
  permission: 'preference:read',
  owner: asOwner,
  input: named,
  async run({ load }, key): Promise<ChannelPreference[]> {
    const [stored, used] = await Promise.all([load(preferencesBySubscriber, key), load(channelsOfWorkflows, '')])
    return channelNames.filter((channel) => used.has(channel)).map((channel) => decideChannel(channel, {}, stored))
  },
})

/** All workflows of the environment, as one batch with the key ''. */
const allWorkflows: Batch<string, readonly Workflow[]> = {
  async load({ db, environmentId }, keys) {
    const rows = await db.workflow.findMany({
      where: { environmentId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
    return keys.map(() => rows)
  },
}

/** Returns the preferences for all workflows, each with every channel, oldest workflow first. Batched. */
export const allWorkflowPreferences = query({
  name: 'preference.listAllWorkflows',
  permission: 'preference:read',
  owner: asOwner,
  input: named,
  async run(scope, key): Promise<WorkflowPreference[]> {
    const { load } = scope
    const [stored, workflows] = await Promise.all([load(preferencesBySubscriber, key), load(allWorkflows, '')])
    const found = workflows.map(async (workflow) =>
      preferenceFor(workflow, await categoryOfWorkflow(scope, workflow), channelNames, stored),
    )
    return Promise.all(found)
  },
})

/** Returns the workflow of a preference. Sessions cannot read workflows. */
export const workflowOf = query({
  name: 'preference.getWorkflow',
  permission: 'workflow:read',
  input: z.custom<Pick<WorkflowPreference, 'workflow'>>(),
  run: async (_scope, { workflow }) => workflow,
})
