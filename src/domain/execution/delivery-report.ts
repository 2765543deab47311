// Delivery reports: what providers say about messages after they accepted them, and what follows from it.
import { hash } from 'node:crypto'
import { z } from 'zod'
import { type AddedReport, addReports, type NewReport, reportsByDelivery } from '../../data/report/delivery-report.ts'
import { noteLastReport, useSignature } from '../../data/report/inbound-webhook.ts'
import type { DeliveryReport } from '../../data/prisma/client.ts'
import { ReportKind } from '../../data/prisma/enums.ts'
import { Refusal } from '../../lib/errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { shorten } from '../../lib/shorten.ts'
import { type MessageReport, reportedKinds } from '../channel/delivery-report.ts'
import { query, unwrappedMutation } from '../resolver/resolver.ts'
import type { AtomicScope, EnvironmentScope, Scope } from '../resolver/scope.ts'
import { actOnReports, type Told } from './report-effects.ts'
import { isReportWanted, recordReportedMessages } from './reported-message.ts'

/** Lists the reports about a delivery, in the order in which they were received. Batched. */
export const reportsOfDelivery = query({
  name: 'deliveryReport.list',
  permission: 'event:read',
  input: z.object({ deliveryId: z.uuid() }),
  run: ({ load }, { deliveryId }): Promise<readonly DeliveryReport[]> => load(reportsByDelivery, deliveryId),
})

/** Reports that one statement stores. */
const PORTION = 250

/** Maximum lengths, in characters. */
const MAX_DETAIL = 500
const MAX_TEXT = 320

/** Milliseconds that a clock of a provider may be ahead, and the age after which a time is taken for a mistake. */
const DAY = 24 * 3600_000
const MAX_AGE = 400 * DAY

/** Milliseconds after which the time of the last report is stored again, so that few posts write it. */
const NOTE_INTERVAL = 60_000

const isStored = (kind: MessageReport['kind']): kind is ReportKind => kind in ReportKind

/** A text as it can be stored. Null if it is absent or empty. */
function storable(text: string | undefined, most: number): string | null {
  if (text === undefined) return null
  return shorten(text.toWellFormed().replaceAll('\0', ''), most) || null
}

function timeOfReport(at: Date, now: Date): Date {
  const age = now.getTime() - at.getTime()
  return age > MAX_AGE || age < -DAY ? now : at
}

const longKey = (key: string) => (key.length > 255 ? hash('sha256', key) : key)

/** Returns the report as a row. Undefined if it is not stored, or names no message. */
function rowOf(report: MessageReport, now: Date): NewReport | undefined {
  const { kind, at, key, detail, code } = report
  if (!isStored(kind)) return undefined
  const { data: deliveryId = null } = z.uuid().safeParse(report.deliveryId)
  const providerMessageId = storable(report.providerMessageId, MAX_TEXT)
  if (deliveryId === null && providerMessageId === null) return undefined
  return {
    deliveryId,
    providerMessageId,
    kind,
    at: timeOfReport(at, now),
    key: longKey(storable(key, Infinity) ?? ''),
    address: storable(report.address, MAX_TEXT),
    detail: storable(detail, MAX_DETAIL),
    code: storable(code, MAX_TEXT),
  }
}

/** A report with its row. */
interface Prepared {
  readonly report: MessageReport
  readonly row: NewReport
}

/** Prepares the reports that are stored, each once. */
function prepare(reports: readonly MessageReport[], now: Date): readonly Prepared[] {
  const prepared = new Map<string, Prepared>()
  for (const report of reports) {
    const row = rowOf(report, now)
    if (row !== undefined) {
      const name = [row.deliveryId ?? row.providerMessageId, row.key].join('\n')
      if (!prepared.has(name)) prepared.set(name, { report, row })
    }
  }
  return [...prepared.values()]
}

/** True if a report has no effect beside its delivery, so that a single statement stores it. */
const isPlain = ({ row: { kind } }: Prepared) => kind === 'accepted' || kind === 'delivered' || kind === 'deferred'

const toldOf = (prepared: readonly Prepared[], added: readonly AddedReport[]): readonly Told[] =>
  added.flatMap((about) => {
    const one = prepared[about.place]
    return one ? [{ ...about, kind: one.row.kind, cause: one.report.cause, at: one.row.at }] : []
  })

type Storing = Pick<AtomicScope, 'db' | 'environmentId' | 'now'>

async function store(scope: Storing, integrationId: string, prepared: readonly Prepared[]) {
  const rows = prepared.map(({ row }) => row)
  const { added, unknown } = await addReports(scope, integrationId, rows, scope.now())
  return { told: toldOf(prepared, added), unknown }
}

/** Stores a portion, and in the same transaction what follows from it. */
async function storePortion(scope: Scope, integrationId: string, prepared: readonly Prepared[]) {
  const isAtomic =
    prepared.every(isPlain) &&
    !(await isReportWanted(
      scope,
      prepared.map(({ row }) => row.kind),
    ))
  if (isAtomic) return scope.atomic((inner) => store(inner, integrationId, prepared))
  return scope.transaction(async (inner) => {
    const stored = await store(inner, integrationId, prepared)
    await actOnReports(inner, integrationId, stored.told)
    await recordReportedMessages(inner, stored.told)
    return stored
  })
}

function count({ metrics }: EnvironmentScope, provider: string, told: readonly Told[], unknown: number): void {
  const byKind = groupBy(told, ({ kind, channel }) => `${channel} ${kind}`)
  for (const [first, ...others] of byKind.values()) {
    if (first) metrics.reportsReceived(first.channel, provider, first.kind, others.length + 1)
  }
  if (unknown > 0) metrics.reportsUnknown(provider, unknown)
}

const received = z.object({
  providerId: z.string(),
  reports: z
    .array(
      z.object({
        deliveryId: z.string().optional(),
        providerMessageId: z.string().optional(),
        address: z.string().optional(),
        kind: z.enum(reportedKinds),
        at: z.date(),
        key: z.string(),
        detail: z.string().optional(),
        code: z.string().optional(),
        cause: z.enum(['invalid_address', 'suppressed_by_provider']).optional(),
      }),
    )
    .readonly(),
  once: z.object({ token: z.string(), until: z.date() }).optional(),
  /** When the integration received its last report, as it is stored. */
  lastReportAt: z.date().nullable(),
})

/**
 * Stores the reports of a provider. A report that is known already has no effect, and neither has a request whose token was
 * used before. Reports about unknown messages are counted.
 */
export const recordReports = unwrappedMutation({
  name: 'deliveryReport.record',
  permission: 'deliveryReport:write',
  input: received,
  async run(scope, { providerId, reports, once, lastReportAt }): Promise<void> {
    const { caller } = scope
    if (caller.kind !== 'provider') throw new Refusal('FORBIDDEN', 'Only the provider of an integration can report')
    const { integrationId } = caller
    const now = scope.now()
    const record = async (inner: Scope) => {
      const prepared = prepare(reports, now)
      for (let from = 0; from < prepared.length; from += PORTION) {
        const { told, unknown } = await storePortion(inner, integrationId, prepared.slice(from, from + PORTION))
        scope.afterCommit(() => count(scope, providerId, told, unknown))
      }
      if (lastReportAt === null || now.getTime() - lastReportAt.getTime() > NOTE_INTERVAL) {
        await noteLastReport(inner, integrationId, now)
      }
    }
    if (once === undefined) return record(scope)
    return scope.transaction(async (inner) => {
      const signature = { hash: hash('sha256', once.token), expiresAt: once.until }
      if (await useSignature(inner, integrationId, signature)) await record(inner)
    })
  },
})
