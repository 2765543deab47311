// Messages over time.
import { graphql } from '../../graph/graphql.ts'

export const messagesQuery = graphql(`
  query MessagesOverTime(
    $from: DateTime!
    $to: DateTime!
    $interval: StatisticsInterval!
    $filter: MessageStatisticsFilter
  ) {
    changePosition
    messageStatistics(from: $from, to: $to, interval: $interval, filter: $filter) {
      start
      sent
      failed
      cancelled
      skipped
      channels {
        channel
        sent
      }
    }
  }
`)
