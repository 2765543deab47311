// The Helm chart, without a program that renders it: its values, their schema, and what it names of the gateway.
// test/system/chart.test.ts renders it.
import { Ajv } from 'ajv'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { variables } from '../../src/config.ts'
import { fileVariables } from '../../src/settings/secret-files.ts'

const root = path.join(import.meta.dirname, '../..')
const chart = path.join(root, 'docs/deploy/helm/notification-gateway')
const read = (file: string) => readFileSync(path.join(chart, file), 'utf8')
const ofRoot = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Helm reads YAML 1.1, in which `on` is true. */
const valuesOf = (text: string) => parse(text, { version: '1.1' })
const values = valuesOf(read('values.yaml'))
const schema = JSON.parse(read('values.schema.json'))
const accepts = new Ajv({ allErrors: true }).compile(schema)
const templates = readdirSync(path.join(chart, 'templates')).map((name) => read(`templates/${name}`))

const secrets = fileVariables.map((name) => name.replace(/_FILE$/, ''))

/** Set by the chart itself. */
const ofChart = ['PORT', 'METRICS_PORT', 'DATA_DIR']

/** Values whose parts the caller chooses. */
const open = [
  ...['settings', 'secrets.values', 'resources', 'service.annotations', 'ingress.annotations'],
  ...['serviceMonitor.labels', 'prometheusRule.labels', 'podAnnotations', 'nodeSelector'],
]

/** The paths of values, such as `image.tag`. */
const pathsOf = (value: unknown, above: readonly string[] = []): string[] =>
  typeof value !== 'object' || value === null || Array.isArray(value) || open.includes(above.join('.'))
    ? [above.join('.')]
    : Object.entries(value).flatMap(([name, below]) => pathsOf(below, [...above, name]))

/** The paths that a schema of values describes. */
const describedBy = ({ properties }: { properties?: object }, above: readonly string[] = []): string[] =>
  properties === undefined || open.includes(above.join('.'))
    ? [above.join('.')]
    : Object.entries(properties).flatMap(([name, below]) => describedBy(below, [...above, name]))

describe('the values of the chart', () => {
  const paths = pathsOf(values)
  const used = new Set(
    templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, one = '']) => one)),
  )

  test('are those that the templates use', () => {
    const known = [...used].map((one) => (one.startsWith('settings.') ? 'settings' : one))
    expect(new Set(known)).toEqual(new Set(paths))
  })

  test('are those that the schema describes', () => {
    const described = describedBy(schema).filter((one) => one !== 'global')
    expect(described.toSorted()).toEqual(paths.toSorted())
  })

  test('have defaults that the schema accepts', () => {
    expect({ accepted: accepts(values), errors: accepts.errors }).toEqual({ accepted: true, errors: null })
  })

  test.each([
    ['a setting that the gateway does not read', 'settings: { LOG_LEVELS: debug }'],
    ['a setting that YAML reads as true', 'settings: { GRAPHIQL: on }'],
    ['a setting of the chart itself', "settings: { PORT: '80' }"],
    ['a secret among the settings', 'settings: { DATABASE_URL: postgresql://db/gateway }'],
    ['a value that is misspelled', 'ingres: { enabled: true }'],
  ])('are rejected with %s', (_problem, text) => {
    expect(accepts(valuesOf(text))).toBe(false)
  })
})

describe('the chart', () => {
  test('takes every setting, and every secret as a file', () => {
    const { settings, secrets: described } = schema.properties
    const ordinary = variables.filter((name) => ![...secrets, ...ofChart].includes(name))
    expect(Object.keys(settings.properties)).toEqual(ordinary)
    expect(described.properties.names.items.enum).toEqual(secrets)
    expect(Object.keys(described.properties.values.properties)).toEqual(secrets)
    expect(Object.keys(values.settings).filter((name) => !ordinary.includes(name))).toEqual([])
  })

  test('names the ports of the image', () => {
    const text = read('templates/deployment.yaml')
    const ports = [...text.matchAll(/containerPort: (\d+)/g)].map(([, port]) => port)
    expect(/^EXPOSE (.*)$/m.exec(ofRoot('Dockerfile'))?.[1]).toBe(ports.join(' '))
    expect(text).toContain(`{ name: METRICS_PORT, value: '${ports[1]}' }`)
  })

  test('runs the command line of the package', () => {
    const { bin, version } = JSON.parse(ofRoot('package.json'))
    expect(read('templates/migration.yaml')).toContain(`args: [node, ${bin['notification-gateway']}, migrate]`)
    expect(read('templates/NOTES.txt')).toContain(`-- node ${bin['notification-gateway']} doctor`)
    expect(parse(read('Chart.yaml'))).toMatchObject({ name: 'notification-gateway', appVersion: version })
  })

  test('has the shipped alerts, which are a link and not a copy', () => {
    const linked = path.relative(root, realpathSync(path.join(chart, 'files/alerts.yaml')))
    expect(linked).toBe('docs/monitoring/alerts.yaml')
  })
})
