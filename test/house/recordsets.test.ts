// Statements take the columns and types of rows from their table. A second list of them would have to follow every migration.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const data = path.join(import.meta.dirname, '../../src/data')

/** The files that name the types of what is no row of a table, and what that is. */
const others: Readonly<Record<string, string>> = {
  'delivery.ts': 'the topics of a message beside its row',
  'example/example-rows.ts': 'how much later events happen',
  'erasure/person-search.ts': 'the forms of marks, and rows of tables that it knows by name',
  'housekeeping/expired-rows.ts': 'the times before which rows have expired',
  'queue/webhook-queue.ts': 'the results of attempts',
  'report/delivery-report.ts': 'reports before their messages are known',
  'reading/row.ts': 'the keys that rows are read by',
  'secrets/re-encryption.ts': 'places of rows in their table',
  'trigger.ts': 'revisions of workflows',
  'webhook/webhook-message.ts': 'messages before their subscriptions are known',
}

test('no statement spells the columns and types of rows', () => {
  const spelling = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith('prisma/'))
    .filter((name) => readFileSync(path.join(data, name), 'utf8').includes('jsonb_to_recordset'))
  expect(spelling.sort()).toEqual(Object.keys(others).sort())
})
