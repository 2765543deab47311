// Workflows in the client's words: their fields, preferences and views.
import { z } from 'zod'
import { Channel, Severity } from '../../../../data/prisma/enums.ts'
import type { ChannelChoices } from '../../../../domain/channel/channel-choices.ts'
import { channelChoices } from '../../../../domain/channel/channel-choices.ts'
import { asObject } from '../../../../domain/channel/stored-json.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { createWorkflow, suspensionOf, type Workflow } from '../../../../domain/workflow.ts'
import { stepsOf } from '../../../../domain/workflow-step.ts'
import { type Path, Refusal } from '../../../../lib/errors.ts'
import { present } from '../../../../lib/present.ts'
import { slugOfStep, slugOfWorkflow } from './slug.ts'
import { controlPath, origin, showStep, stepInWords, stepView } from './step.ts'

const shape = createWorkflow.definition.input.shape

const channelPreference = z.strictObject({ enabled: z.boolean().default(true) })
const allChannels = z.strictObject({ enabled: z.boolean().default(true), readOnly: z.boolean().default(false) })
const preference = z.strictObject({
  all: allChannels.prefault({}),
  channels: z.partialRecord(z.enum(Channel), channelPreference).default({}),
})

const preferences = z
  .strictObject({ user: preference.nullish(), workflow: preference.nullish() })
  .meta({ description: 'Channel defaults. `user` counts if both are given. `readOnly` makes the workflow critical.' })

/** The fields that a new workflow, a changed one and a patch have in common. */
export const commonFields = {
  name: shape.name,
  description: z.string().nullish().meta({ description: 'What the workflow is for.' }),
  tags: shape.tags,
  payloadSchema: shape.payloadSchema,
  validatePayload: z.boolean().optional().meta({
    description: 'True if `payloadSchema` applies to triggers. Otherwise it is kept without effect.',
  }),
  isTranslationEnabled: z
    .literal(false, { error: 'is not supported: the gateway has no translations' })
    .optional()
    .meta({ description: 'Always false: the gateway has no translations.' }),
}

/** The fields that a new workflow and a changed one have in common. */
export const wholeFields = {
  ...commonFields,
  active: z.boolean().default(false).meta({ description: 'True if triggers of the workflow are executed.' }),
  severity: z.enum(Severity).optional(),
  steps: z.array(stepInWords),
  agent: z.null({ error: 'is not supported: the gateway has no agents' }).optional(),
}

export const preferencesField = preferences

/** The places from which a workflow can be created. None of them has an effect. */
export const sourceField = z
  .string()
  .refine((source) => source !== 'bridge', 'must not be bridge: workflows run in the gateway')
  .optional()
  .meta({ description: 'Where the workflow was created. Has no effect.' })

const channelNames = Object.values(Channel)

/** What a workflow has of preferences. */
interface Defaults {
  readonly critical: boolean
  readonly channels: ChannelChoices
}

/**
 * Returns the defaults of preferences. Undefined if the request has none.
 *
 * @param stored the defaults that they replace.
 * @throws Refusal `INVALID` if a workflow that ignores preferences has channels that are off.
 */
export function defaultsFrom(given: z.output<typeof preferences> | undefined, stored?: Defaults): Defaults | undefined {
  const { user, workflow } = given ?? {}
  if (user === undefined && workflow === undefined) return undefined
  const { all, channels: listed } = user ?? workflow ?? { all: { enabled: true, readOnly: false }, channels: {} }
  const names = all.enabled ? channelNames.filter((channel) => listed[channel]) : channelNames
  const channels: ChannelChoices = Object.fromEntries(
    names.map((channel) => [channel, listed[channel]?.enabled ?? all.enabled]),
  )
  const isStored =
    stored?.critical === true && JSON.stringify(sorted(stored.channels)) === JSON.stringify(sorted(channels))
  if (all.readOnly && !isStored && Object.values(channels).includes(false)) {
    const path = ['preferences', user ? 'user' : 'workflow', 'channels']
    const message = `${path.join('.')} cannot be off with readOnly, which ignores preferences: leave out the steps`
    throw new Refusal('INVALID', message, { issues: [{ path, message }] })
  }
  return { critical: all.readOnly, channels }
}

const sorted = (channels: ChannelChoices) => channelNames.map((channel) => channels[channel] ?? null)

function preferenceOf({ critical, channels }: Defaults): z.output<typeof preference> {
  const choices = channelNames.flatMap((channel) => {
    const enabled = channels[channel]
    return enabled === undefined ? [] : [[channel, { enabled }] as const]
  })
  const isOff = choices.length === channelNames.length && choices.every(([, { enabled }]) => !enabled)
  return { all: { enabled: !isOff, readOnly: critical }, channels: Object.fromEntries(choices) }
}

/** Returns a description for our input. An empty one is none. */
export const descriptionFrom = (given: string | null | undefined) => (given?.trim() === '' ? null : given)

/** Our names of fields, and the client's. */
const names: Readonly<Record<string, Path>> = {
  identifier: ['workflowId'],
  id: ['workflowId'],
  critical: ['preferences'],
  channels: ['preferences'],
}

/** Returns the path of a field of a workflow in the caller's words. */
export function workflowPath(path: Path): Path {
  const [field = '', index, ...rest] = path
  if (field === 'steps' && typeof index === 'number') return ['steps', index, ...controlPath(rest)]
  return names[field] ?? path
}

const status = z.enum(['ACTIVE', 'INACTIVE', 'ERROR'])

const anyObject = z.record(z.string(), z.unknown())

/** What a list and a single workflow have in common. */
const sharedView = {
  _id: z.string(),
  workflowId: z.string(),
  slug: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  status: status.meta({ description: '`ERROR` if its templates or conditions exceeded their limits repeatedly.' }),
  origin: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
}

export const workflowInListView = z
  .object({
    ...sharedView,
    steps: z.array(z.object({ slug: z.string(), type: z.string() })),
    stepTypeOverviews: z.array(z.string()),
  })
  .meta({ id: 'NovuWorkflowInList', description: 'A workflow in a list.' })

const preferenceView = z.object({ all: z.object({ enabled: z.boolean(), readOnly: z.boolean() }), channels: anyObject })

export const novuWorkflowView = z
  .object({
    ...sharedView,
    description: z.string().optional(),
    active: z.boolean(),
    severity: z.enum(Severity),
    payloadSchema: anyObject.nullable(),
    validatePayload: z.boolean(),
    isTranslationEnabled: z.boolean(),
    preferences: z.object({ user: preferenceView, default: preferenceView }),
    steps: z.array(stepView),
  })
  .meta({ id: 'NovuWorkflow', description: 'A named sequence of steps.' })

async function showShared(row: Workflow, scope: DoorScope) {
  const { id, identifier, name, tags, active, createdAt, updatedAt } = row
  const isSuspended = active && (await suspensionOf(scope, { workflowId: id, version: updatedAt })) !== null
  const status = isSuspended ? ('ERROR' as const) : active ? ('ACTIVE' as const) : ('INACTIVE' as const)
  return {
    _id: id,
    workflowId: identifier,
    slug: slugOfWorkflow(row),
    ...{ name, tags, status, origin },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

export async function showInList(row: Workflow, scope: DoorScope): Promise<z.input<typeof workflowInListView>> {
  const steps = stepsOf(row.steps)
  return {
    ...(await showShared(row, scope)),
    steps: steps.map(({ stepId, type }) => ({ slug: slugOfStep(stepId), type })),
    stepTypeOverviews: steps.map(({ type }) => type),
  }
}

/** The defaults of a stored workflow. */
export const storedDefaults = ({ critical, channels }: Workflow): Defaults => ({
  critical,
  channels: channelChoices.parse(channels),
})

export async function showNovuWorkflow(row: Workflow, scope: DoorScope): Promise<z.input<typeof novuWorkflowView>> {
  const { description, active, severity, payloadSchema, validatePayload } = row
  const preference = preferenceOf(storedDefaults(row))
  return {
    ...(await showShared(row, scope)),
    ...present({ description }),
    ...{ active, severity, validatePayload },
    payloadSchema: payloadSchema === null ? null : asObject(payloadSchema),
    isTranslationEnabled: false,
    preferences: { user: preference, default: preference },
    steps: stepsOf(row.steps).map((step) => showStep(step, row)),
  }
}
