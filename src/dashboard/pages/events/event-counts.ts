// The counts of an event, in words.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

export const countFields = graphql(`
  fragment CountFields on Event @_unmask {
    recipientCounts {
      total
      groups {
        outcome
        reasonCode
        count
      }
    }
    messageCounts {
      pending
      sent
      failed
      cancelled
      notifications
    }
  }
`)

type Counted = ResultOf<typeof countFields>

const number = new Intl.NumberFormat()

const inWords = (counts: readonly (readonly [count: number, word: string])[], nothing: string): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${number.format(count)} ${word}`)
    .join(', ') || nothing

/** Returns the number of messages by outcome. */
export const messagesInWords = ({ messageCounts }: Counted): string =>
  inWords(
    [
      [messageCounts.sent, 'sent'],
      [messageCounts.notifications, 'in feeds'],
      [messageCounts.pending, 'pending'],
      [messageCounts.failed, 'failed'],
      [messageCounts.cancelled, 'cancelled'],
    ],
    'none',
  )
