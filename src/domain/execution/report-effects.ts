// What follows from reports of providers beside the message itself.
import type { AddedReport } from '../../data/report/delivery-report.ts'
import type { DeliveryReport } from '../../data/prisma/client.ts'
import type { Report } from '../channel/delivery-report.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** A report that was stored, and the message that it is about. */
export interface Told extends AddedReport, Pick<DeliveryReport, 'kind' | 'detail' | 'at'>, Pick<Report, 'cause'> {}

/** Acts on reports, in the transaction that stores them. */
export async function actOnReports(_scope: EnvironmentScope, _told: readonly Told[]): Promise<void> {
  // The suppression of addresses and the preferences of persons who complain.
}
