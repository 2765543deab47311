// The chart of messages over time: a stacked bar for each interval.
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { Series } from './message-series.ts'

interface MessageChartProps {
  readonly series: Series
  /** In pixels. */
  readonly height: number
}

/**
 * A default export, because it is loaded on demand. The table shows the same numbers to readers who cannot see the
 * chart.
 */
export default function MessageChart({ series: { groups, rows }, height }: MessageChartProps) {
  return (
    <div role="img" aria-label="Bar chart of the messages over time. The table shows the same numbers.">
      <BarChart
        h={height}
        type="stacked"
        data={rows.map(({ label, counts }) => ({ label, ...counts }))}
        dataKey="label"
        series={groups.map(({ name, color }) => ({ name, color }))}
        withLegend
        withBarValueLabel={false}
        barProps={{ isAnimationActive: false }}
        tooltipAnimationDuration={0}
      />
    </div>
  )
}
