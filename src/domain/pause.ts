// Pauses of an integration, a workflow or an environment: what is pending waits until it is resumed, and nothing fails.
import { z } from 'zod'
import { endedHolds, holdPortion, releasePortion } from '../data/held-job.ts'
import type { Tenant } from '../data/loader.ts'
import { keepWorkflows, lockIntegration } from '../data/lock.ts'
import { deletePause, insertPause } from '../data/pause.ts'
import type { Pause } from '../data/prisma/client.ts'
import { refuse } from '../lib/errors.ts'
import { trimmedText } from '../lib/validation.ts'
import { assertAdministers, assertOfOrganization, lockAdministration } from './administration.ts'
import { audit } from './audit.ts'
import { environment as environmentOf, type Environment } from './environment.ts'
import { integration as integrationOf, type Integration } from './integration.ts'
import { unwrappedMutation } from './resolver.ts'
import type { Gateway, Scope } from './scope.ts'
import { workflow as workflowOf, type Workflow, workflowNotFound } from './workflow.ts'

export type { Pause }

/** Portions of jobs that a mutation holds or releases. The others are held when they are taken, or released later. */
const PORTIONS = 20

const reason = trimmedText(255).nullish()
const byId = z.object({ id: z.uuid() })

type Target = Pick<Pause, 'environmentId' | 'targetId' | 'integrationId' | 'workflowId'>

/** Who the caller is, in words. */
async function nameOf({ db, caller, environmentId }: Scope): Promise<string> {
  if (caller.kind === 'operator') return 'command line'
  if (caller.kind !== 'apiKey' && caller.kind !== 'dashboard') return caller.kind
  const key = { environmentId: caller.kind === 'dashboard' ? caller.homeId : environmentId, id: caller.apiKeyId ?? '' }
  if (key.id === '') return 'dashboard'
  const found = await db.apiKey.findUnique({ where: { environmentId_id: key }, select: { name: true } })
  return `API key "${found?.name ?? key.id}"`
}

/** Inserts the pause of a target, in the transaction of `scope`. It is logged, unless the target is paused already. */
async function begin(scope: Scope, target: Target, given: string | null | undefined): Promise<void> {
  const pause: Pause = { ...target, reason: given ?? null, pausedBy: await nameOf(scope), pausedAt: scope.now() }
  if (await insertPause(scope, pause)) audit(scope, 'paused', loggedTarget(target))
}

const loggedTarget = ({ environmentId, integrationId, workflowId }: Target) => ({
  environmentId,
  ...(integrationId !== null && { integrationId }),
  ...(workflowId !== null && { workflowId }),
})

/** Holds the jobs that wait in the queue for what was paused, in short statements. */
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

/** Ends the pause of a target. @returns the number of jobs that it held. */
async function end(scope: Scope, target: Target): Promise<number> {
  const { environmentId, targetId } = target
  const ended = await scope.atomic(async (inner) => {
    const deleted = await deletePause({ db: inner.db, environmentId }, targetId)
    if (deleted) audit(inner, 'resumed', loggedTarget(target))
    return deleted
  })
  return ended ? release({ db: scope.db, environmentId }, targetId, scope.now) : 0
}

/**
 * Releases jobs that are held although nothing is paused: the process that resumed it ended before, more were held than one
 * mutation releases, or what was paused was deleted.
 */
export async function releaseEnded({ db, now }: Pick<Gateway, 'db' | 'now'>): Promise<void> {
  for (const { environmentId, targetId } of await endedHolds(db)) await release({ db, environmentId }, targetId, now)
}

/** Something that was resumed, and the number of jobs that waited: messages, and groups of runs. */
export interface Resumed<Row> {
  readonly resumed: Row
  readonly released: number
}

const integrationTarget = (scope: Scope, id: string): Target => ({
  environmentId: scope.environmentId,
  targetId: id,
  integrationId: id,
  workflowId: null,
})

/** @throws Refusal `NOT_FOUND` */
async function requireIntegration(scope: Scope, id: string): Promise<Integration> {
  const found = await integrationOf(scope, { id })
  if (found === null) throw refuse('NOT_FOUND', `Integration "${id}" not found`, 'id', id)
  return found
}

/**
 * Pauses an integration: its messages wait until it is resumed, new ones too. Messages that are being sent are not stopped.
 * Has no effect if it is paused already.
 */
export const pauseIntegration = unwrappedMutation({
  name: 'integration.pause',
  permission: 'integration:write',
  input: byId.extend({ reason }),
  async run(scope, { id, reason }): Promise<Integration> {
    const target = integrationTarget(scope, id)
    const paused = await scope.transaction(async (inner) => {
      await lockIntegration(inner, id)
      const found = await requireIntegration(inner, id)
      await begin(inner, target, reason)
      return found
    })
    await hold(scope, target)
    return paused
  },
})

/** Resumes an integration: the messages that waited are sent. Has no effect if it is not paused. */
export const resumeIntegration = unwrappedMutation({
  name: 'integration.resume',
  permission: 'integration:write',
  input: byId,
  async run(scope, { id }): Promise<Resumed<Integration>> {
    const resumed = await requireIntegration(scope, id)
    return { resumed, released: await end(scope, integrationTarget(scope, id)) }
  },
})

const byIdentifier = z.object({ identifier: trimmedText(255) })

const workflowTarget = (scope: Scope, id: string): Target => ({
  environmentId: scope.environmentId,
  targetId: id,
  integrationId: null,
  workflowId: id,
})

/** @throws Refusal `NOT_FOUND` */
async function requireWorkflow(scope: Scope, identifier: string): Promise<Workflow> {
  const found = await workflowOf(scope, { identifier })
  if (found === null) throw workflowNotFound(identifier)
  return found
}

/**
 * Pauses a workflow: its runs and its unsent messages wait until it is resumed, those of new triggers too. Has no effect if
 * it is paused already.
 */
export const pauseWorkflow = unwrappedMutation({
  name: 'workflow.pause',
  permission: 'workflow:write',
  input: byIdentifier.extend({ reason }),
  async run(scope, { identifier, reason }): Promise<Workflow> {
    const paused = await scope.transaction(async (inner) => {
      await keepWorkflows(inner, [identifier])
      const found = await requireWorkflow(inner, identifier)
      await begin(inner, workflowTarget(inner, found.id), reason)
      return found
    })
    await hold(scope, workflowTarget(scope, paused.id))
    return paused
  },
})

/** Resumes a workflow: its runs continue, and its messages are sent. Has no effect if it is not paused. */
export const resumeWorkflow = unwrappedMutation({
  name: 'workflow.resume',
  permission: 'workflow:write',
  input: byIdentifier,
  async run(scope, { identifier }): Promise<Resumed<Workflow>> {
    const resumed = await requireWorkflow(scope, identifier)
    return { resumed, released: await end(scope, workflowTarget(scope, resumed.id)) }
  },
})

const environmentTarget = (id: string): Target => ({
  environmentId: id,
  targetId: id,
  integrationId: null,
  workflowId: null,
})

/** @throws Refusal `NOT_FOUND`, or `FORBIDDEN` if the caller does not administer the environment. */
async function requireAdministered(scope: Scope, id: string): Promise<Environment> {
  await lockAdministration(scope)
  await assertOfOrganization(scope, id, 'id')
  await assertAdministers(scope, id, 'id')
  const found = await environmentOf(scope, { id })
  if (found === null) throw refuse('NOT_FOUND', `Environment "${id}" not found`, 'id', id)
  return found
}

/**
 * Pauses an environment: all its runs and unsent messages wait until it is resumed, those of new triggers too. Everything
 * else continues, erasures too. Has no effect if it is paused already.
 */
export const pauseEnvironment = unwrappedMutation({
  name: 'environment.pause',
  permission: 'environment:write',
  input: byId.extend({ reason }),
  async run(scope, { id, reason }): Promise<Environment> {
    const paused = await scope.transaction(async (inner) => {
      const found = await requireAdministered(inner, id)
      await begin(inner, environmentTarget(id), reason)
      return found
    })
    await hold(scope, environmentTarget(id))
    return paused
  },
})

/** Resumes an environment: its runs continue, and its messages are sent. Has no effect if it is not paused. */
export const resumeEnvironment = unwrappedMutation({
  name: 'environment.resume',
  permission: 'environment:write',
  input: byId,
  async run(scope, { id }): Promise<Resumed<Environment>> {
    const resumed = await scope.transaction((inner) => requireAdministered(inner, id))
    return { resumed, released: await end(scope, environmentTarget(id)) }
  },
})
