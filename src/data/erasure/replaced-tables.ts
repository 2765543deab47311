// Tables whose text an erasure replaces after all others: jobs refer to tables by position, so new ones come last.
import type { Searched } from './person-search.ts'

/** The notes of pauses. Their text is replaced too. */
export const pausesTable = {
  name: 'pauses',
  key: [['target_id', 'uuid']],
  time: 'paused_at',
  columns: { reason: 'text' },
} as const satisfies Searched

/** The traces of triggers without an event. Their text is replaced too. */
export const unprocessedTriggersTable = {
  name: 'unprocessed_triggers',
  key: [['id', 'uuid']],
  time: 'created_at',
  columns: { workflow_identifier: 'text', transaction_id: 'text', recipients: 'jsonb', errors: 'jsonb' },
} as const satisfies Searched

/** The files of events. Their names, URLs and content ids are replaced too. */
export const eventAttachmentsTable = {
  name: 'event_attachments',
  key: [
    ['event_id', 'uuid'],
    ['position', 'int'],
  ],
  time: 'created_at',
  columns: { name: 'text', url: 'text', content_id: 'text' },
} as const satisfies Searched

/** Uploaded files. Their names are replaced too. */
export const attachmentsTable = {
  name: 'attachments',
  key: [['id', 'uuid']],
  time: 'created_at',
  columns: { name: 'text' },
} as const satisfies Searched

/** Suppressions of other addresses, whose detail may name a person. Their text is replaced too. */
export const suppressionsTable = {
  name: 'suppressions',
  key: [['id', 'uuid']],
  time: 'created_at',
  columns: { detail: 'text' },
} as const satisfies Searched

/** Texts from other numbers, which may name a person. Their text is replaced too. */
export const inboundTextsTable = {
  name: 'inbound_texts',
  key: [['id', 'uuid']],
  time: 'created_at',
  columns: { from_number: 'text', to_number: 'text', text: 'text' },
} as const satisfies Searched

/** The reports of providers. Their texts and addresses are replaced too. */
export const deliveryReportsTable = {
  name: 'delivery_reports',
  key: [
    ['delivery_id', 'uuid'],
    ['key', 'text'],
  ],
  time: 'received_at',
  columns: { address: 'text', detail: 'text' },
} as const satisfies Searched
