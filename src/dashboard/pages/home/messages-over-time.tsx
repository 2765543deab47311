// Messages over time, by outcome or by channel, as a chart or as a table.
import { Group, SegmentedControl, Stack, Switch, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { useQuery } from 'urql'
import { LONG_PAUSE, useLive } from '../../graph/live.ts'
import { Answer } from '../../parts/answer.tsx'
import { useFilter } from '../../parts/filter/filter.ts'
import { type Grouping, isGrouping, seriesOf } from './message-series.ts'
import { MessageChart } from './message-chart.tsx'
import { MessageTable } from './message-table.tsx'
import { messagesQuery } from './messages-query.ts'
import { DEFAULT_RANGE, isRange, type Range, ranges, spanOf } from './range.ts'

/** The height of the chart, in pixels. */
const HEIGHT = 260

interface MessagesOverTimeProps {
  /** The context whose messages are counted. Default: all messages. */
  readonly contextKey?: string
}

export function MessagesOverTime({ contextKey }: MessagesOverTimeProps) {
  const [givenRange, setRange] = useFilter('range')
  const [givenGrouping, setGrouping] = useFilter('by')
  const [isTable, table] = useDisclosure(false)
  const range: Range = isRange(givenRange) ? givenRange : DEFAULT_RANGE
  const grouping: Grouping = isGrouping(givenGrouping) ? givenGrouping : 'outcome'
  const [now, setNow] = useState(() => new Date())
  const span = useMemo(() => spanOf(range, now), [range, now])
  const filter = useMemo(() => (contextKey === undefined ? null : { contextKeys: [contextKey] }), [contextKey])
  const query = useQuery({ query: messagesQuery, variables: { ...span, filter } })
  const [state, refresh] = query
  const refreshNow: typeof refresh = (options) => {
    setNow(new Date())
    refresh(options)
  }
  useLive([state, refreshNow], {}, LONG_PAUSE)
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
          return isTable ? <MessageTable series={series} /> : <MessageChart series={series} height={HEIGHT} />
        }}
      </Answer>
    </Stack>
  )
}
