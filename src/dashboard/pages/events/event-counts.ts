// The counts of an event, in words.
import { graphql, type ResultOf } from '../../graph/graphql.ts'

export const countFields = graphql(`
  fragment CountFields on Event @_unmask {
    runCounts {
      running
      waiting
      completed
      failed
      cancelled
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

/** Returns the number of runs. */
export const recipientsOf = ({ runCounts: { running, waiting, completed, failed, cancelled } }: Counted): number =>
  running + waiting + completed + failed + cancelled

/** Returns the number of recipients, in total and by status. */
export function recipientsInWords(counted: Counted): string {
  const { running, waiting, completed, failed, cancelled } = counted.runCounts
  const parts = inWords(
    [
      [completed, 'completed'],
      [running, 'running'],
      [waiting, 'waiting'],
      [failed, 'failed'],
      [cancelled, 'cancelled'],
    ],
    '',
  )
  return parts === '' ? 'none' : `${number.format(recipientsOf(counted))}: ${parts}`
}

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
