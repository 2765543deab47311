// Messages over time, by outcome or by channel, as a chart or as a table.
import { Group, SegmentedControl, Skeleton, Stack, Switch, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense, useMemo } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { useFilter } from '../../parts/filter/filter.ts'
import { type Grouping, isGrouping, seriesOf } from './message-series.ts'
import { MessageTable } from './message-table.tsx'
import { isRange, type Range, ranges, spanOf } from './range.ts'

const messagesQuery = graphql(`
  query MessagesOverTime($from: DateTime!, $to: DateTime!, $interval: StatisticsInterval!) {
    messageStatistics(from: $from, to: $to, interval: $interval) {
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

// Loaded on demand: the chart library is larger than the rest of the page.
const MessageChart = lazy(() => import('./message-chart.tsx'))

const HEIGHT = 260

export function MessagesOverTime() {
  const [givenRange, setRange] = useFilter('range')
  const [givenGrouping, setGrouping] = useFilter('by')
  const [isTable, table] = useDisclosure(false)
  const range: Range = isRange(givenRange) ? givenRange : '7d'
  const grouping: Grouping = isGrouping(givenGrouping) ? givenGrouping : 'outcome'
  const span = useMemo(() => spanOf(range, new Date()), [range])
  const query = useQuery({ query: messagesQuery, variables: span })
  return (
    <Stack component="section" gap="sm" aria-label="Messages over time">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Messages over time
        </Title>
        <Group gap="xs">
          <SegmentedControl
            aria-label="Time range"
            size="xs"
            value={range}
            onChange={setRange}
            data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
          />
          <SegmentedControl
            aria-label="Grouping"
            size="xs"
            value={grouping}
            onChange={setGrouping}
            data={[
              { value: 'outcome', label: 'By outcome' },
              { value: 'channel', label: 'By channel' },
            ]}
          />
          <Switch size="sm" label="Table" checked={isTable} onChange={table.toggle} />
        </Group>
      </Group>
      <Answer query={query}>
        {({ messageStatistics }) => {
          const series = seriesOf(messageStatistics, grouping, span.interval)
          return isTable ? (
            <MessageTable series={series} />
          ) : (
            <Suspense fallback={<Skeleton height={HEIGHT} />}>
              <MessageChart series={series} height={HEIGHT} />
            </Suspense>
          )
        }}
      </Answer>
    </Stack>
  )
}
