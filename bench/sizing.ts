// The sizes of installations with 10 and 100 million subscribers. `npm run sizing` prints them into docs/scale.md.
// `npx tsx bench/sizing.ts --days=30 --peak=5` prints the table for other assumptions to the terminal.
import { parseArgs } from 'node:util'
import { markdownTable, printFiles } from '../src/settings/printed-files.ts'
import { type Assumptions, assumptions } from './sizing/measured.ts'
import { type Load, sizeOf } from './sizing/model.ts'

const names = Object.keys(assumptions)
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean' },
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  },
})

/** The value of an assumption. */
function valueOf(name: keyof Assumptions): number {
  const given: unknown = (options as Readonly<Record<string, unknown>>)[name]
  const value = given === undefined ? assumptions[name].value : Number(given)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}

const given: Assumptions = {
  days: valueOf('days'),
  peak: valueOf('peak'),
  emailPeak: valueOf('emailPeak'),
  slack: valueOf('slack'),
  busy: valueOf('busy'),
  gatewayShare: valueOf('gatewayShare'),
  latency: valueOf('latency'),
  cachedDays: valueOf('cachedDays'),
  cachedSubscribers: valueOf('cachedSubscribers'),
  cores: valueOf('cores'),
  disk: valueOf('disk'),
  copies: valueOf('copies'),
  coreHour: valueOf('coreHour'),
  memoryMonth: valueOf('memoryMonth'),
  diskMonth: valueOf('diskMonth'),
}

const loads: readonly Load[] = [false, true].flatMap((emails) =>
  [10_000_000, 100_000_000].flatMap((subscribers) =>
    [10, 100, 1_000].map((triggers) => ({ subscribers, triggers, emails })),
  ),
)

const number = (value: number) => Math.round(value).toLocaleString('en')
/** Two digits are more than the figures deserve. */
const rounded = (value: number) => number(Number(value.toPrecision(2)))

const rows = loads.map((load) => {
  const size = sizeOf(load, given)
  return [
    `${load.subscribers / 1e6} million`,
    `${number(load.triggers)}${load.emails ? ', with emails' : ''}`,
    `${number(size.servers)} × ${size.coresOfServer} cores, ${number(size.memoryOfServer / 1e9)} GB${size.isBeyond ? ' †' : ''}`,
    `${rounded(size.disk / 1e9)} GB`,
    `${number(size.processes)}, ${(size.memoryOfProcesses / 1e9).toFixed(1)} GB`,
    number(size.connections),
    rounded(size.cost),
  ]
})

const table = markdownTable([
  [
    ...['subscribers', 'triggers a second', 'PostgreSQL servers', 'disk of the primaries'],
    ...['gateway processes, memory', 'connections to each primary', 'cost a month'],
  ],
  ...rows,
])

const listed = markdownTable([
  ['option', 'default', 'assumption'],
  ...Object.entries(assumptions).map(([name, { value, meaning }]) => [`\`${name}\``, String(value), meaning]),
])

if (names.some((name) => name in options)) console.log(table)
else {
  const between = (text: string, name: string, printed: string) =>
    text.replace(
      new RegExp(`<!-- ${name} -->[^]*?<!-- end of ${name} -->`),
      `<!-- ${name} -->\n\n${printed}\n<!-- end of ${name} -->`,
    )
  printFiles(
    { 'docs/scale.md': (text) => between(between(text, 'sizes', table), 'assumptions', listed) },
    'npm run sizing',
  )
}
