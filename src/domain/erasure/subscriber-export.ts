// The export of a subscriber: all data about it in the database, as one JSON document.
import { z } from 'zod'
import { type ExportedRows, exportedRows, MAX_EXPORTED } from '../../data/erasure/subscriber-export.ts'
import type { JsonObject } from '../../lib/validation.ts'
import { referenceOf } from '../resolver/reference.ts'
import { query } from '../resolver/resolver.ts'
import { storedUnderAddresses } from '../suppression/exported-addresses.ts'
import { subscriberReference } from '../subscriber-id.ts'
import { loadSubscriber, subscriberNotFound } from '../subscriber.ts'
import { contentOf } from '../channel/sent-content.ts'
import { describeTarget, targetOf } from '../execution/target.ts'

export { MAX_EXPORTED }

/** Times as text, in the form in which JSON documents store them. */
const plain = (value: object): JsonObject => z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(value)))

/** The destinations of messages, without fields that only matter to the gateway. */
const shownRun = ({ steps, ...run }: ExportedRows['runs'][number]) => ({
  ...run,
  steps: steps.map(({ deliveries, ...step }) => ({
    ...step,
    deliveries: deliveries.map(({ target, ...delivery }) => ({
      ...delivery,
      content: contentOf(delivery),
      destination: describeTarget(targetOf(target)),
    })),
  })),
})

/** The files of an event, without their bytes. Size and hash are null as long as a URL has not been fetched. */
const shownFiles = ({ attachments }: Pick<ExportedRows['events'][number], 'attachments'>) =>
  attachments.map(({ attachment, ...file }) => ({ ...file, ...(attachment ?? { size: null, sha256: null }) }))

/**
 * Exports a subscriber: profile, credentials, endpoints, channel connections, subscriptions, preferences with their changes, notifications,
 * suppressions of its addresses, texts from its number, and events with their attachments and runs. Credentials, the
 * secret fields of endpoints and the tokens of connections are left out. Newest first.
 *
 * @returns a document whose `truncated` names the lists with more than `MAX_EXPORTED` rows.
 */
export const exportSubscriber = query({
  name: 'subscriber.export',
  permission: 'subscriber:read',
  rate: { category: 'configuration', cost: 100 },
  input: z.object(subscriberReference),
  async run(scope, { subscriberId, id }): Promise<JsonObject> {
    const named = referenceOf({ subscriberId }, { id })
    const found = 'id' in named ? await loadSubscriber(scope, named) : named
    const rows = await exportedRows(scope, found.subscriberId)
    if (rows === undefined) throw subscriberNotFound(named)
    const { subscriber, runs, events, truncated, ...lists } = rows
    const runByEvent = new Map(runs.map(({ eventId, ...run }) => [eventId, run]))
    const { suppressions, inboundTexts } = await storedUnderAddresses(scope, subscriber)
    return plain({
      exportedAt: scope.now(),
      subscriber,
      ...lists,
      suppressions,
      inboundTexts,
      events: events.map(({ id, ...event }) => {
        const run = runByEvent.get(id)
        const attachments = shownFiles(event)
        return { ...event, attachments, run: run === undefined ? null : shownRun({ ...run, eventId: id }) }
      }),
      truncated,
    })
  },
})
