// Routes of suppressions.
import { z } from 'zod'
import { SuppressionReason } from '../../data/prisma/enums.ts'
import { addressChannels } from '../../domain/address/address.ts'
import {
  createSuppression,
  createSuppressions,
  deleteSuppression,
  suppression,
  type Suppression,
  suppressions,
} from '../../domain/suppression/suppression.ts'
import { present } from '../../lib/present.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { bulkItem, dateOf, found, timestamp, valuesField } from '../views.ts'

const channel = z.enum(addressChannels)
const reason = z.enum(SuppressionReason)

const suppressionView = z
  .object({
    _id: z.string(),
    channel,
    address: z.string().optional().meta({
      description: 'Email address or phone number. Absent if the person was erased and only the hash was kept.',
    }),
    reason,
    detail: z.string().optional().meta({ description: 'What the provider or the caller said.' }),
    explanation: z.string().meta({ description: 'Since when and why nothing is sent to the address.' }),
    integrationId: z
      .string()
      .optional()
      .meta({ description: 'Integration whose sender does not write to the address. Absent if no sender does.' }),
    contextKeys: z
      .array(z.string())
      .meta({ description: 'Contexts under which nothing is sent. Empty for all messages.' }),
    sourceDeliveryId: z.string().optional().meta({ description: 'Message that led to the suppression.' }),
    expiresAt: timestamp.optional().meta({ description: 'End. Absent if it does not end.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Suppression', description: 'An address to which nothing is sent.' })

function showSuppression(row: Suppression): z.input<typeof suppressionView> {
  const { id, reason, detail, integrationId, contextKeys, sourceDeliveryId, expiresAt, createdAt, updatedAt } = row
  return {
    _id: id,
    channel: row.channel === 'sms' ? 'sms' : 'email',
    ...present({ address: row.address }),
    reason,
    ...present({ detail, integrationId, sourceDeliveryId }),
    explanation: row.explanation,
    contextKeys,
    ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

/** The body of one suppression, with times as text. */
const newSuppression = createSuppression.definition.input
  .omit({ integrationId: true })
  .extend({
    expiresAt: timestamp.nullish().meta({ description: 'End, in the future. Default: it does not end.' }),
  })
  .meta({ id: 'NewSuppression', description: 'An address to suppress.' })

const byId = z.object({ id: z.string().meta({ description: 'Id of the suppression.' }) })

const example = { channel: 'email', address: 'ada@example.com', detail: 'Asked by letter.' } as const

export const suppressionRoutes = [
  route({
    method: 'get',
    path: '/v2/suppressions',
    summary: 'List the addresses to which nothing is sent',
    query: pageQuery.extend({
      channel: channel.optional().meta({ description: 'Filter by channel.' }),
      channels: valuesField(channel, 'channels'),
      reason: reason.optional().meta({ description: 'Filter by reason.' }),
      reasons: valuesField(reason, 'reasons'),
      address: z.string().optional().meta({
        description: 'Filter by address. Exact match, in any spelling of an email address or a phone number.',
      }),
      contextKeys: z.array(z.string()).optional().meta({ description: 'Filter by the exact set of contexts.' }),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which the suppression was created.' }),
    }),
    resolver: suppressions,
    input: ({ query: { channel, channels, reason, reasons, address, contextKeys, ...query } }) => {
      const { createdAfter, createdBefore, ...page } = query
      const created = { createdAfter: dateOf(createdAfter), createdBefore: dateOf(createdBefore) }
      return {
        ...pageOfQuery(page),
        filter: { channel, channels, reason, reasons, address, contextKeys, ...created },
      }
    },
    statuses: [200],
    response: pageSchema(suppressionView),
    view: (page, scope) => showPage(scope, page, showSuppression),
  }),
  route({
    method: 'post',
    path: '/v2/suppressions',
    summary: 'Suppress an address; nothing is sent to it any more',
    example,
    body: newSuppression,
    resolver: createSuppression,
    statuses: [201],
    response: suppressionView,
    view: showSuppression,
  }),
  route({
    method: 'post',
    path: '/v2/suppressions/bulk',
    summary: 'Suppress up to 100 addresses; each succeeds or fails on its own',
    example: { suppressions: [example] },
    // The resolver validates each item separately.
    body: z.object({
      suppressions: createSuppressions.definition.input.shape.suppressions.meta({ items: bulkItem('NewSuppression') }),
    }),
    resolver: createSuppressions,
    statuses: [201],
    response: z.object({
      suppressions: z.array(suppressionView),
      existing: z.int().meta({ description: 'Number of valid items whose address was suppressed already.' }),
      failed: z.array(z.object({ index: z.int(), address: z.string().optional(), message: z.string() })),
    }),
    view: ({ suppressions, existing, failed }) => ({
      suppressions: suppressions.map(showSuppression),
      existing,
      failed: failed.map(({ index, address, message }) => ({ index, ...present({ address }), message })),
    }),
  }),
  route({
    method: 'get',
    path: '/v2/suppressions/{id}',
    summary: 'Read a suppression',
    params: byId,
    resolver: suppression,
    statuses: [200],
    response: suppressionView,
    view: (row, _scope, { params }) => showSuppression(found(row, 'Suppression', params.id)),
  }),
  route({
    method: 'delete',
    path: '/v2/suppressions/{id}',
    summary: 'Delete a suppression; messages are sent to the address again',
    params: byId,
    resolver: deleteSuppression,
    statuses: [204],
  }),
]
