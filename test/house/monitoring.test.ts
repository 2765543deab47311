// The alerts, the dashboard and the documentation of the metrics, compared with a real scrape.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { taskNames } from '../../src/data/housekeeping/finished-task.ts'
import { ReportKind } from '../../src/data/prisma/enums.ts'
import { errorKinds } from '../../src/lib/errors.ts'
import { definitions } from '../../src/metrics/definitions.ts'
import type { MetricDefinition } from '../../src/metrics/process-definitions.ts'
import { useWorld } from '../support/world.ts'

const docs = path.join(import.meta.dirname, '../../docs')
const read = (file: string) => readFileSync(path.join(docs, file), 'utf8')
const all: readonly MetricDefinition[] = Object.values(definitions)

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly description: string }
}

const alerts: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  read('monitoring/alerts.yaml'),
)
const rules = alerts.groups.flatMap((group) => group.rules)
const dashboard: {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
} = JSON.parse(read('monitoring/dashboard.json'))
const variables = dashboard.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]))
/** The location of each expression. */
const named: readonly (readonly [string, string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...variables.map((variable) => ['a variable of the dashboard', variable] as const),
]
const expressions = named.map(([, expression]) => expression)

/** Labels that Prometheus adds. */
const added = ['job', 'instance']

/** The metrics in a PromQL expression. `up` comes from Prometheus itself. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/\b((?:notification_gateway|process)_\w+|up)\b/g)].map(([, name = '']) => name)

/** The labels of each selector in an expression, with its metric and the values that they are compared with. */
const matchersIn = (expression: string) =>
  [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].map(([, label = '', , value = '']) => ({
      metric,
      label,
      value,
    })),
  )

const groupsIn = (expression: string) =>
  [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(',').map((one) => one.trim()))

/** The definition of a series, such as the buckets of a histogram. */
const definitionOf = (name: string) =>
  all.find((metric) => metric.name === (metric.type === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name))

const labelsOf = (name: string): readonly string[] => [
  ...(definitionOf(name)?.labels ?? []),
  ...(name.endsWith('_bucket') ? ['le'] : []),
  ...added,
]

describe('the alerts and the dashboard', () => {
  const world = useWorld()
  let text: string
  beforeAll(async () => {
    text = await world.metrics.print()
  })

  test.each(named)('use only metrics and labels of a scrape: %s', (_place, expression) => {
    const metrics = metricsIn(expression)
    expect(metrics.length).toBeGreaterThan(0)
    for (const name of metrics.filter((one) => one !== 'up')) {
      expect(text).toContain(`\n# TYPE ${definitionOf(name)?.name} ${definitionOf(name)?.type}\n`)
    }
    for (const { metric, label } of matchersIn(expression)) expect(labelsOf(metric)).toContain(label)
    for (const label of groupsIn(expression)) expect(metrics.flatMap(labelsOf)).toContain(label)
  })

  test('are compared with a scrape that has every metric with its help text', () => {
    const printed = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name, help]) => ({ name, help }))
    expect(new Set(printed)).toEqual(new Set(all.map(({ name, help }) => ({ name, help }))))
  })

  test('compare labels with values that exist', () => {
    const known: Readonly<Record<string, readonly string[]>> = {
      code: Object.values(errorKinds).map(({ code }) => code),
      outcome: ['sent', 'accepted', 'retried', 'failed', 'unregistered'],
      kind: Object.values(ReportKind),
      task: [...taskNames],
      state: ['used', 'idle', 'due', 'scheduled', 'paused', 'rate_limited'],
      check: ['disk', 'database', 'migrations', 'listener', 'keyRing'],
      job: ['notification-gateway', '$job'],
      instance: ['$instance'],
    }
    for (const { label, value } of expressions.flatMap(matchersIn)) {
      for (const one of value.split('|')) expect(known[label]).toContain(one)
    }
  })

  test('have unique names and say what to do', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { annotations } of rules) expect(annotations).toMatchObject({ summary: /./, description: /./ })
    expect(new Set(dashboard.panels.map(({ title }) => title)).size).toBe(dashboard.panels.length)
  })

  test('show every metric, except the start of the process', () => {
    const shown = new Set(expressions.flatMap(metricsIn).map((name) => definitionOf(name)))
    expect(all.filter((metric) => !shown.has(metric)).map(({ name }) => name)).toEqual(['process_start_time_seconds'])
  })

  test('are all documented, like the metrics with their types, labels and meanings', () => {
    const [, page = ''] = read('operations.md').split('\n## Metrics\n')
    const table = (columns: number) =>
      [...page.matchAll(/^\| `.*\|$/gm)]
        .map(([line]) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        )
        .filter((cells) => cells.length === columns)
    expect(table(4)).toEqual(
      all.map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', ') || 'none',
        help,
      ]),
    )
    // Each alert, with its meaning and the action to take.
    expect(table(3).map(([name]) => name)).toEqual(rules.map(({ alert }) => `\`${alert}\``))
  })
})
