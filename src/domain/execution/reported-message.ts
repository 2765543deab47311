// Webhook messages about messages that were delivered, bounced or reported as spam.
import type { ReportKind } from '../../data/prisma/enums.ts'
import { groupBy } from '../../lib/group-by.ts'
import { shorten } from '../../lib/shorten.ts'
import { recordWebhookMessages, wantedAmong } from '../outbox/webhook-message.ts'
import { MAX_DETAIL, type WebhookMessageType } from '../outbox/webhook-type.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { tellableColumns, tellableDeliveries } from './delivery-end.ts'
import type { Told } from './report-effects.ts'

/** The type of the message about a report. Other kinds have none. */
const typeOf = {
  delivered: 'message.delivered',
  bounced_hard: 'message.bounced',
  bounced_soft: 'message.bounced',
  dropped: 'message.bounced',
  complained: 'message.complained',
} as const satisfies Partial<Record<ReportKind, WebhookMessageType>>

const typeFor = (kind: ReportKind): WebhookMessageType | undefined =>
  Object.entries(typeOf).find(([one]) => one === kind)?.[1]

/** True if a webhook subscription wants messages about reports of these kinds. Costs no statement. */
export async function isReportWanted(
  scope: Pick<EnvironmentScope, 'environmentId' | 'db' | 'webhooks'>,
  kinds: readonly ReportKind[],
): Promise<boolean> {
  const types = new Set(kinds.flatMap((kind) => typeFor(kind) ?? []))
  return (await wantedAmong(scope, [...types])).length > 0
}

/** Records webhook messages about reports, in the transaction that stores them. Reports about copies have none. */
export async function recordReportedMessages(scope: EnvironmentScope, told: readonly Told[]): Promise<void> {
  const { db, environmentId } = scope
  const own = told.filter(({ isCopy }) => !isCopy)
  const byType = groupBy(own, ({ kind }) => typeFor(kind) ?? '')
  for (const type of new Set(Object.values(typeOf))) {
    const reports = byType.get(type) ?? []
    if (reports.length === 0) continue
    await recordWebhookMessages(scope, type, async () => {
      const ids = reports.map(({ deliveryId }) => deliveryId)
      const where = { environmentId, id: { in: ids } }
      const deliveries = await db.delivery.findMany({ where, select: tellableColumns })
      const found = new Map(
        (await tellableDeliveries(scope, deliveries)).map((change) => [change.data['messageId'], change]),
      )
      return reports.flatMap(({ deliveryId, detail }) => {
        const change = found.get(deliveryId)
        if (change === undefined) return []
        if (type === 'message.delivered') return change
        return { ...change, data: { ...change.data, detail: detail === null ? null : shorten(detail, MAX_DETAIL) } }
      })
    })
  }
}
