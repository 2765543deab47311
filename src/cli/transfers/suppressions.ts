// Import and export of suppressions.
import {
  createSuppressions,
  MAX_SUPPRESSIONS,
  type Suppression,
  suppressions,
} from '../../domain/suppression/suppression.ts'
import { integrationsById } from '../../data/integration.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { asContext, pagesOf } from './rows.ts'
import type { Item, Transfer } from './transfer.ts'

/** Suppressions of erased addresses cannot be imported, because only their hashes are left. */
async function asItems(scope: Scope, row: Suppression): Promise<readonly Item[]> {
  const { channel, address, reason, detail, contextKeys, expiresAt, integrationId } = row
  if (address === null) return []
  const integration = integrationId === null ? null : await scope.load(integrationsById, integrationId)
  const integrationIdentifier = integration?.identifier ?? null
  const end = expiresAt?.toISOString() ?? null
  return [{ channel, address, reason, detail, integrationIdentifier, context: asContext(contextKeys), expiresAt: end }]
}

export const suppressionTransfer: Transfer = {
  unit: 'suppressions',
  columns: {
    channel: { required: true },
    address: { required: true },
    reason: {},
    detail: {},
    integrationIdentifier: {},
    context: { json: true },
    expiresAt: {},
  },
  batch: MAX_SUPPRESSIONS,
  existing: 'unchanged',
  async write(scope, items) {
    const { suppressions, failed } = await createSuppressions(scope, { suppressions: [...items] })
    const created = suppressions.filter(({ isNew }) => isNew).length
    const existing = items.length - created - failed.length
    return { created, existing, failed: failed.map(({ index, message }) => ({ index, message })) }
  },
  async *read(scope) {
    const orderBy = { field: 'createdAt', direction: 'asc' } as const
    for await (const rows of pagesOf(scope, (page) => suppressions(scope, { page, orderBy, filter: null }))) {
      yield (await Promise.all(rows.map((row) => asItems(scope, row)))).flat()
    }
  },
}
