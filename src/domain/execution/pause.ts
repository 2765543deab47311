// Pauses of an integration, a workflow or an environment: pending work waits until they are resumed, and nothing fails.
import { z } from 'zod'
import { endedHolds, holdPortion, releasePortion } from '../../data/queue/held-job.ts'
import type { Tenant } from '../../data/reading/loader.ts'
import { type IntegrationReference, keepWorkflows, lockIntegration, type WorkflowReference } from '../../data/lock.ts'
import { deletePause, insertPause, type NewPause } from '../../data/pause.ts'
import type { Pause } from '../../data/prisma/client.ts'
import { trimmedText } from '../../lib/validation.ts'
import {
  assertAdministers,
  type EnvironmentReference,
  idInOrganization,
  lockAdministration,
} from '../access/administration.ts'
import { audit } from '../resolver/audit.ts'
import type { PausedKind } from './current-pause.ts'
import { environment as environmentOf, type Environment, environmentReference } from '../access/environment.ts'
import { integration as integrationOf, type Integration, integrationReference } from '../integration.ts'
import { mainScope, scopeOn } from '../resolver/databases.ts'
import { nameIn, notFound, referenceOf } from '../resolver/reference.ts'
import { unwrappedMutation } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { workflow as workflowOf, type Workflow, workflowReference } from '../workflow.ts'

export type { Pause }

/**
 * Maximum portions of jobs that one mutation holds or releases. The rest are held when they are taken, or released
 * later.
 */
const PORTIONS = 20

const reason = trimmedText(255).nullish()
const byIntegration = z.object(integrationReference)
const byEnvironment = z.object(environmentReference)
const byWorkflow = z.object({ ...workflowReference, identifier: trimmedText(255).nullish() })

type Target = Pick<NewPause, 'environmentId' | 'targetId' | 'integrationId' | 'workflowId'>

/** The columns of a pause that identify the paused object. */
const targets = {
  environment: (_, id) => ({ environmentId: id, targetId: id }),
  integration: ({ environmentId }, id) => ({ environmentId, targetId: id, integrationId: id }),
  workflow: ({ environmentId }, id) => ({ environmentId, targetId: id, workflowId: id }),
} as const satisfies Record<PausedKind, (scope: Scope, id: string) => Target>

/** The name of the caller, in words. */
async function nameOf(scope: Scope): Promise<string> {
  const { caller, environmentId } = scope
  if (caller.kind === 'operator') return 'command line'
  if (caller.kind !== 'apiKey' && caller.kind !== 'dashboard') return caller.kind
  const key = { environmentId: caller.kind === 'dashboard' ? caller.homeId : environmentId, id: caller.apiKeyId ?? '' }
  if (key.id === '') return 'dashboard'
  const found = await mainScope(scope).db.apiKey.findUnique({
    where: { environmentId_id: key },
    select: { name: true },
  })
  return `API key "${found?.name ?? key.id}"`
}

const loggedTarget = ({ environmentId, integrationId, workflowId }: Target) => ({
  environmentId,
  integrationId,
  workflowId,
})

/** Holds the queued jobs of the paused object, in short statements. */
async function hold({ db, now }: Scope, { environmentId, targetId }: Target): Promise<void> {
  for (let portion = 0; portion < PORTIONS; portion += 1) {
    if (!(await holdPortion({ db, environmentId }, targetId, now()))) return
  }
}

/** Releases the jobs that are held for a pause that has ended, in short statements. @returns their number. */
async function release(tenant: Tenant, targetId: string, now: () => Date): Promise<number> {
  let count = 0
  for (let portion = 0; portion < PORTIONS; portion += 1) {
    const released = await releasePortion(tenant, targetId, now())
    if (released.length === 0) break
    count += released.length
  }
  return count
}

/**
 * Releases jobs that are held without a pause: the process that resumed the object ended too early, more jobs were held
 * than one mutation releases, or the paused object was deleted.
 */
export async function releaseEnded({ db, now }: Pick<Scope, 'db' | 'now'>): Promise<void> {
  for (const { environmentId, targetId } of await endedHolds(db)) await release({ db, environmentId }, targetId, now)
}

interface Row {
  readonly id: string
}

/**
 * Pauses the object that `find` returns, unless it is paused already.
 *
 * @param find runs in the transaction of the pause, and locks the object until it ends. @throws Refusal `NOT_FOUND`
 */
async function pause<Found extends Row>(
  scope: Scope,
  kind: PausedKind,
  given: string | null | undefined,
  find: (inner: Scope) => Promise<Found>,
): Promise<Found> {
  const { target, found } = await scope.transaction(async (inner) => {
    const found = await find(inner)
    const target: Target = targets[kind](inner, found.id)
    const begun: NewPause = { ...target, reason: given ?? null, pausedBy: await nameOf(inner), pausedAt: inner.now() }
    if (await insertPause(inner, begun)) audit(inner, 'pause started', loggedTarget(target))
    return { target, found }
  })
  await hold(scope, target)
  return found
}

/** A resumed object, and the number of jobs that waited: messages, events, and groups of runs. */
export interface Resumed<Found> {
  readonly resumed: Found
  readonly released: number
}

/** Resumes an object, if it is paused. */
async function resume<Found extends Row>(scope: Scope, kind: PausedKind, resumed: Found): Promise<Resumed<Found>> {
  const target: Target = targets[kind](scope, resumed.id)
  const { environmentId, targetId } = target
  const ended = await scope.atomic(async (inner) => {
    const deleted = await deletePause({ db: inner.db, environmentId }, targetId)
    if (deleted) audit(inner, 'pause ended', loggedTarget(target))
    return deleted
  })
  return { resumed, released: ended ? await release({ db: scope.db, environmentId }, targetId, scope.now) : 0 }
}

/** @throws Refusal `NOT_FOUND` */
async function requireIntegration(scope: Scope, integration: IntegrationReference): Promise<Integration> {
  const found = await integrationOf(scope, integration)
  if (found === null) throw notFound('Integration', integration)
  return found
}

/**
 * Pauses an integration: its messages, including new ones, wait until it is resumed. Messages that are being sent are
 * not stopped. Has no effect if the integration is already paused.
 */
export const pauseIntegration = unwrappedMutation({
  name: 'integration.pause',
  permission: 'integration:write',
  input: byIntegration.extend({ reason }),
  run(scope, { identifier, id, reason }) {
    const integration = referenceOf({ identifier }, { id })
    return pause(scope, 'integration', reason, async (inner) => {
      await lockIntegration(inner, integration)
      return requireIntegration(inner, integration)
    })
  },
})

/** Resumes an integration: its waiting messages are sent. Has no effect if it is not paused. */
export const resumeIntegration = unwrappedMutation({
  name: 'integration.resume',
  permission: 'integration:write',
  input: byIntegration,
  run: async (scope, { identifier, id }) =>
    resume(scope, 'integration', await requireIntegration(scope, referenceOf({ identifier }, { id }))),
})

/** @throws Refusal `NOT_FOUND` */
async function requireWorkflow(scope: Scope, workflow: WorkflowReference): Promise<Workflow> {
  const found = await workflowOf(scope, workflow)
  if (found === null) throw notFound('Workflow', workflow)
  return found
}

/**
 * Pauses a workflow: its runs and unsent messages, including those of new triggers, wait until it is resumed. Has no
 * effect if the workflow is already paused.
 */
export const pauseWorkflow = unwrappedMutation({
  name: 'workflow.pause',
  permission: 'workflow:write',
  input: byWorkflow.extend({ reason }),
  run(scope, { identifier, id, reason }) {
    const workflow = referenceOf({ identifier }, { id })
    return pause(scope, 'workflow', reason, async (inner) => {
      await keepWorkflows(inner, Object.values(workflow))
      return requireWorkflow(inner, workflow)
    })
  },
})

/** Resumes a workflow: its runs continue and its messages are sent. Has no effect if it is not paused. */
export const resumeWorkflow = unwrappedMutation({
  name: 'workflow.resume',
  permission: 'workflow:write',
  input: byWorkflow,
  run: async (scope, { identifier, id }) =>
    resume(scope, 'workflow', await requireWorkflow(scope, referenceOf({ identifier }, { id }))),
})

/** @throws Refusal `NOT_FOUND`, or `FORBIDDEN` if the caller does not administer the environment. */
function administered(scope: Scope, environment: EnvironmentReference): Promise<Environment> {
  return mainScope(scope).transaction(async (inner) => {
    await lockAdministration(inner)
    const id = await idInOrganization(inner, environment)
    await assertAdministers(inner, id, nameIn(environment)[0])
    const found = await environmentOf(inner, { id })
    if (found === null) throw notFound('Environment', environment)
    return found
  })
}

/**
 * Pauses an environment: all its runs and unsent messages, including those of new triggers, wait until it is resumed.
 * Everything else continues, including erasures. Has no effect if the environment is already paused.
 */
export const pauseEnvironment = unwrappedMutation({
  name: 'environment.pause',
  permission: 'environment:write',
  input: byEnvironment.extend({ reason }),
  async run(scope, { identifier, id, reason }) {
    const found = await administered(scope, referenceOf({ identifier }, { id }))
    return pause(scopeOn(scope, found.database), 'environment', reason, () => Promise.resolve(found))
  },
})

/** Resumes an environment: its runs continue and its messages are sent. Has no effect if it is not paused. */
export const resumeEnvironment = unwrappedMutation({
  name: 'environment.resume',
  permission: 'environment:write',
  input: byEnvironment,
  async run(scope, { identifier, id }) {
    const found = await administered(scope, referenceOf({ identifier }, { id }))
    return resume(scopeOn(scope, found.database), 'environment', found)
  },
})
