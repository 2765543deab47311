// Import and export of topics.
import { topics, upsertTopic } from '../../domain/topic.ts'
import { Refusal } from '../../lib/errors.ts'
import { pagesOf } from './rows.ts'
import type { Item, ItemFailure, Transfer } from './transfer.ts'

/** The fields of an item, which the resolver validates. */
type TopicInput = Parameters<typeof upsertTopic>[1]

export const topicTransfer: Transfer = {
  unit: 'topics',
  columns: { key: { required: true }, name: {}, data: { json: true } },
  batch: 100,
  existing: 'updated',
  async write(scope, items) {
    let created = 0
    const failed: ItemFailure[] = []
    for (const [index, item] of items.entries()) {
      try {
        if ((await upsertTopic(scope, item as Item & TopicInput)).created) created += 1
      } catch (error) {
        if (!(error instanceof Refusal) || error.kind === 'UNAVAILABLE') throw error
        failed.push({ index, message: error.message })
      }
    }
    return { created, existing: items.length - created - failed.length, failed }
  },
  async *read(scope) {
    const orderBy = { field: 'createdAt', direction: 'asc' } as const
    for await (const rows of pagesOf(scope, (page) => topics(scope, { page, orderBy, filter: null }))) {
      yield rows.map(({ key, name, data }) => ({ key, name, data }))
    }
  },
}
