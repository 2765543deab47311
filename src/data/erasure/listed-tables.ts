// Tables whose rows an erasure lists, but does not change.
import type { Searched } from './person-search.ts'

/** Tables of objects that belong to others. Objects that name a person are listed but not changed. */
export const listedTables = {
  context: { name: 'contexts', key: [['id', 'uuid']], time: 'created_at', columns: { key: 'text', data: 'jsonb' } },
  topic: {
    name: 'topics',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { key: 'text', name: 'text', data: 'jsonb' },
  },
  subscriber: {
    name: 'subscribers',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: {
      subscriber_id: 'text',
      first_name: 'text',
      last_name: 'text',
      email: 'text',
      phone: 'text',
      avatar: 'text',
      data: 'jsonb',
    },
  },
  channel_endpoint: {
    name: 'channel_endpoints',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { identifier: 'text', endpoint: 'jsonb' },
  },
  channel_connection: {
    name: 'channel_connections',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { identifier: 'text', workspace_name: 'text' },
  },
} as const satisfies Record<string, Searched>
