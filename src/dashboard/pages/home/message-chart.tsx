// The chart of messages over time: a stacked bar for each interval. Drawn here, because a chart library would be a
// quarter of what Home loads.
import { Box, ColorSwatch, Group, Text } from '@mantine/core'
import { type PointerEvent, useMemo, useState } from 'react'
import { spread, ticksUpTo } from './axis.ts'
import classes from './message-chart.module.css'
import type { Row, Series } from './message-series.ts'

const number = new Intl.NumberFormat()
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/** The most labels that fit below the bars of a wide chart. A narrow one shows every other. */
const MAX_LABELS = 8

const percent = (part: number, whole: number) => `${(100 * part) / whole}%`
const colorOf = (color: string) => `var(--mantine-color-${color.replace('.', '-')})`
const totalOf = ({ counts }: Row) => Object.values(counts).reduce((sum, count) => sum + count, 0)

interface MessageChartProps {
  readonly series: Series
  /** In pixels. */
  readonly height: number
}

/** The table shows the same numbers to readers who cannot see the chart. */
export function MessageChart({ series: { groups, rows }, height }: MessageChartProps) {
  const ticks = ticksUpTo(Math.max(0, ...rows.map(totalOf)))
  const top = ticks.at(-1) ?? 1
  return (
    <Box className={classes['chart']} h={height}>
      <Group gap="md" justify="flex-end">
        {groups.map(({ name, color }) => (
          <Group key={name} gap={6}>
            <ColorSwatch color={colorOf(color)} size={10} withShadow={false} />
            <Text size="xs">{name}</Text>
          </Group>
        ))}
      </Group>
      <div
        className={classes['plot']}
        role="img"
        aria-label="Bar chart of the messages over time. The table shows the same numbers."
      >
        {ticks.map((tick) => (
          <div key={tick} className={classes['tick']} style={{ bottom: percent(tick, top) }}>
            <span>{compact.format(tick)}</span>
          </div>
        ))}
        <Bars groups={groups} rows={rows} top={top} />
        {spread(rows.length, MAX_LABELS).map((index) => (
          <span key={index} className={classes['label']} style={{ left: percent(index + 0.5, rows.length) }}>
            {rows[index]?.label}
          </span>
        ))}
      </div>
    </Box>
  )
}

interface BarsProps extends Series {
  /** The number of messages at the upper end of the chart. */
  readonly top: number
}

/** The bars of a group in one shape, each on those of the groups before it. */
function shapeOf({ groups, rows }: Series, group: number, top: number): string {
  const countOf = ({ counts }: Row, index: number) => counts[groups[index]?.name ?? ''] ?? 0
  const bars = rows.map((row, x) => {
    const count = countOf(row, group)
    const below = groups.slice(0, group).reduce((sum, _, index) => sum + countOf(row, index), 0)
    return count === 0 ? '' : `M${x + 0.1} ${top - below}h0.8v${-count}h-0.8z`
  })
  return bars.join('')
}

/** One shape for each group: hundreds of bars as elements of their own would take longer than the rest of the page. */
function Bars({ groups, rows, top }: BarsProps) {
  const [pointed, setPointed] = useState<number>()
  const shapes = useMemo(() => groups.map((_, index) => shapeOf({ groups, rows }, index, top)), [groups, rows, top])
  const point = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setPointed(Math.floor((rows.length * (clientX - left)) / width))
  }
  return (
    <svg
      className={classes['bars']}
      viewBox={`0 0 ${rows.length} ${top}`}
      preserveAspectRatio="none"
      onPointerMove={point}
      onPointerLeave={() => setPointed(undefined)}
    >
      {pointed !== undefined && <Interval row={rows[pointed]} groups={groups} x={pointed} top={top} />}
      {groups.map(({ name, color }, index) => (
        <path key={name} fill={colorOf(color)} d={shapes[index]} />
      ))}
    </svg>
  )
}

interface IntervalProps {
  readonly row: Row | undefined
  readonly groups: Series['groups']
  readonly x: number
  readonly top: number
}

/** The interval at the pointer, which shows its numbers. */
function Interval({ row, groups, x, top }: IntervalProps) {
  const numbers = groups.flatMap(({ name }) => {
    const count = row?.counts[name] ?? 0
    return count === 0 ? [] : [`${name}: ${number.format(count)}`]
  })
  if (row === undefined || numbers.length === 0) return null
  return (
    <rect className={classes['column']} x={x} y={0} width={1} height={top}>
      <title>{[row.label, ...numbers].join('\n')}</title>
    </rect>
  )
}
