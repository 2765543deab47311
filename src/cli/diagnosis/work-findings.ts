// The findings of `doctor` about the gateway's work: its queue, recent failures, and backups.
import { integrationFailures, workflowFailures } from '../../data/monitoring/delivery-health.ts'
import { readFinished } from '../../data/housekeeping/finished-task.ts'
import { readQueueState } from '../../data/queue/queue-state.ts'
import { isFailing } from '../../domain/execution/delivery-health.ts'
import { failureReasons } from '../../domain/trigger/event-status.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Milliseconds that a due job may wait. */
const MAX_AGE = MINUTE
/** Milliseconds after which a backup counts as old. */
const BACKUP_AGE = 48 * HOUR
/** Maximum number of environments, and of suspensions, to read. */
const MAX_READ = 1_000
/** The normal number of lost messages per hour. Some are normal because addresses go stale. */
const FEW = 10

type Working = Pick<Gateway, 'db' | 'now'>

async function queue({ db, now }: Working): Promise<Finding> {
  const at = now()
  const waiting = (await readQueueState(db, at)).flatMap(({ kind, due, oldestSince }) => {
    const age = at.getTime() - (oldestSince?.getTime() ?? at.getTime())
    return age > MAX_AGE ? [`${due} ${kind} for up to ${Math.round(age / 1000)} s`] : []
  })
  if (waiting.length === 0) return ok('queue', 'no job has waited for more than a minute')
  return problem(
    'queue',
    `jobs wait: ${waiting.join(', ')}: start the gateway or another process, or find "job failed" in the log`,
  )
}

/** Failures of the last hour, and integrations that are failing. */
async function failures({ db, now }: Working): Promise<Finding[]> {
  const span = { from: new Date(now().getTime() - HOUR), to: new Date(now().getTime() + MINUTE) }
  const environments = await db.environment.findMany({
    where: { organizationId: { not: null } },
    select: { id: true, name: true },
    orderBy: { id: 'asc' },
    take: MAX_READ,
  })
  const lost = { messages: 0, runs: 0, events: 0 }
  const found: Finding[] = []
  for (const { id: environmentId, name } of environments) {
    const tenant = { db, environmentId }
    for (const { failedMessages, failedRuns } of await workflowFailures(tenant, span)) {
      lost.messages += failedMessages
      lost.runs += failedRuns
    }
    lost.events += await db.event.count({
      where: { environmentId, reason: { in: [...failureReasons] }, createdAt: { gte: span.from } },
    })
    for (const integration of (await integrationFailures(tenant, span)).filter(isFailing)) {
      const { integrationIdentifier, failedAttempts, sent } = integration
      found.push(
        problem(
          `integration ${integrationIdentifier}`,
          `in ${name}, ${failedAttempts} attempts failed and ${sent} messages were sent in an hour: find "provider failing" in the log, and check its credentials`,
        ),
      )
    }
  }
  const text = `in the last hour, ${lost.messages} messages, ${lost.runs} runs and ${lost.events} events failed`
  if (lost.messages + lost.runs + lost.events === 0) return [ok('failures', 'none in the last hour'), ...found]
  const isSmall = lost.messages <= FEW && lost.runs + lost.events === 0
  const advice =
    'the command failures groups the messages, and retry sends them again; for runs and events, find "job given up" in the log, then use retryWorkflowRun and retryEvent'
  return [(isSmall ? warning : problem)('failures', `${text}: ${advice}`), ...found]
}

async function suspensions({ db }: Working): Promise<Finding> {
  const rows = await db.workflowSuspension.findMany({
    where: { suspendedAt: { not: null }, workflow: { environment: { organizationId: { not: null } } } },
    include: { workflow: { select: { identifier: true, updatedAt: true } } },
    orderBy: [{ environmentId: 'asc' }, { workflowId: 'asc' }],
    take: MAX_READ,
  })
  // An update of the workflow ends its suspension.
  const names = rows
    .filter(({ version, workflow }) => version.getTime() === workflow.updatedAt.getTime())
    .map(({ workflow }) => workflow.identifier)
  if (names.length === 0) return ok('workflows', 'none is suspended')
  const shown = [...new Set(names)].slice(0, 10).join(', ')
  return problem('workflows', `${names.length} suspended: ${shown}: see Workflow.suspension, and update them`)
}

async function backups({ db, now }: Working): Promise<Finding> {
  const { backup } = await readFinished(db)
  if (backup === undefined) return ok('backup', 'the command backup has written none')
  const age = now().getTime() - backup.getTime()
  if (age <= BACKUP_AGE) return ok('backup', `the last one is of ${backup.toISOString()}`)
  return warning('backup', `the last one is of ${backup.toISOString()}: run backup, and see why the schedule did not`)
}

/** Reads through indexes, one environment after the other, up to a thousand. */
export const workFindings = async (working: Working): Promise<readonly Finding[]> => [
  await queue(working),
  ...(await failures(working)),
  await suspensions(working),
  await backups(working),
]
