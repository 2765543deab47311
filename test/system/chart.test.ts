// The Helm chart, rendered with Helm's template engine and functions. Needs Debian's packages golang-go,
// golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev.
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { newKeyRing } from '../../src/lib/cipher.ts'
import type { KubernetesObject } from '../support/chart/objects.ts'
import { canRender, type Rendered, useChart } from '../support/chart/render.ts'
import { temporaryFolder } from '../support/process/gateway-process.ts'
import { useWorld } from '../support/world.ts'

const alerts = path.join(import.meta.dirname, '../../docs/monitoring/alerts.yaml')

const EXISTING = 'secrets: { existingSecret: gateway-secrets }\n'
const TRIAL = 'secrets: { values: { DATABASE_URL: postgresql://db/gateway, ENCRYPTION_KEYS: k1:abc } }\n'

/** Everything that is off by default. */
const COMPLETE = `${EXISTING}
ingress: { enabled: true, host: notifications.example.com, tlsSecret: certificate }
serviceMonitor: { enabled: true, labels: { release: prometheus } }
prometheusRule: { enabled: true, labels: { release: prometheus } }
podAnnotations: { team: messages }
nodeSelector: { disk: fast }
tolerations: [{ key: messages, operator: Exists }]
imagePullSecrets: [registry]
volumes: [{ name: documents, configMap: { name: documents } }]
volumeMounts: [{ name: documents, mountPath: /documents, readOnly: true }]
`

function objectIn({ objects }: Rendered, key: string): KubernetesObject {
  const found = objects.get(key)
  if (found === undefined) throw new Error(`${key} is not rendered`)
  return found
}

function podOf(rendered: Rendered, key = 'Deployment') {
  const template = objectIn(rendered, key).spec?.template
  if (template === undefined) throw new Error(`${key} has no pod`)
  return template
}

const containerOf = (rendered: Rendered, key = 'Deployment') => podOf(rendered, key).spec.containers[0]
const environmentOf = (rendered: Rendered, key = 'Deployment'): Readonly<Record<string, string>> =>
  Object.fromEntries(containerOf(rendered, key).env.map(({ name, value }) => [name, value]))
const secretOf = (rendered: Rendered, key = 'Deployment') =>
  podOf(rendered, key).spec.volumes.find(({ name }) => name === 'secrets')?.secret

describe.runIf(canRender)('the chart (needs Go and the libraries of Helm)', () => {
  const render = useChart()
  const world = useWorld()

  test('renders two processes with their address, and migrates first', () => {
    const rendered = render(EXISTING)
    expect([...rendered.objects.keys()].toSorted()).toEqual([
      'Deployment',
      'Job migration',
      'PodDisruptionBudget',
      'Service',
      'Service metrics',
    ])
    expect(objectIn(rendered, 'Deployment').spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
    })
  })

  test('renders everything that can be turned on', () => {
    const rendered = render(COMPLETE)
    expect([...rendered.objects.keys()]).toEqual(
      expect.arrayContaining(['Ingress', 'ServiceMonitor', 'PrometheusRule']),
    )
    expect(podOf(rendered).spec).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'messages' }],
      volumes: expect.arrayContaining([expect.objectContaining({ name: 'documents' })]),
    })
    expect(rendered.notes).toContain('https://notifications.example.com')
  })

  test('is not rendered without a secret that the gateway requires, and names it', () => {
    expect(() => render('')).toThrow('DATABASE_URL is required: set secrets.existingSecret')
    expect(() => render('secrets: { values: { DATABASE_URL: postgresql://db/gateway } }')).toThrow(
      'ENCRYPTION_KEYS is required',
    )
  })

  test('starts processes with settings and files of secrets that the gateway accepts', async () => {
    const rendered = render(`settings: { BASE_URL: https://n.example.com, TRUSTED_PROXIES: '1' }\n${EXISTING}`)
    const secret = secretOf(rendered)
    expect(secret?.secretName).toBe('gateway-secrets')
    const mount = containerOf(rendered).volumeMounts.find(({ name }) => name === 'secrets')
    const folder = await temporaryFolder()
    const mounted = path.join(folder, mount?.mountPath ?? '')
    await mkdir(mounted, { recursive: true })
    const ring = newKeyRing()
    const content: Readonly<Record<string, string>> = {
      DATABASE_URL: 'postgresql://gateway:secret@db.example.com/gateway\n',
      ENCRYPTION_KEYS: ring,
    }
    for (const item of secret?.items ?? []) await writeFile(path.join(mounted, item.path), content[item.key] ?? '')
    const environment = Object.entries(environmentOf(rendered)).map(([name, value]) => [
      name,
      name.endsWith('_FILE') ? path.join(folder, value) : value,
    ])
    expect(readConfig(Object.fromEntries(environment))).toMatchObject({
      databaseUrl: 'postgresql://gateway:secret@db.example.com/gateway',
      encryptionKeys: ring,
      baseUrl: 'https://n.example.com',
      trustedProxies: 1,
      misspelled: [],
    })
  })

  test.each(['0', '10', '60'])('gives a process with SHUTDOWN_DELAY=%s the time to stop', (delay) => {
    const rendered = render(`settings: { SHUTDOWN_DELAY: '${delay}' }\n${EXISTING}`)
    expect(environmentOf(rendered)['SHUTDOWN_DELAY']).toBe(delay)
    expect(podOf(rendered).spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(delay) + 25)
  })

  test('asks a process at addresses that it answers', async () => {
    const { livenessProbe, readinessProbe } = containerOf(render(EXISTING))
    for (const probe of [livenessProbe, readinessProbe]) {
      const { status } = await world.app.fetch(new Request(`http://gateway.test${probe?.httpGet.path}`))
      expect({ port: probe?.httpGet.port, status }).toEqual({ port: 'http', status: 200 })
    }
  })

  test('runs every pod without rights, and without an account of the cluster', () => {
    const rendered = render(COMPLETE)
    for (const key of ['Deployment', 'Job migration']) {
      expect(podOf(rendered, key).spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(containerOf(rendered, key).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  test('sends requests to the processes only, and counts only them for disruptions', () => {
    const rendered = render(EXISTING)
    const { labels } = podOf(rendered).metadata
    const migration = podOf(rendered, 'Job migration').metadata.labels
    const selectors = [
      objectIn(rendered, 'Deployment').spec?.selector,
      objectIn(rendered, 'PodDisruptionBudget').spec?.selector,
      objectIn(rendered, 'Service').spec?.selector,
      objectIn(rendered, 'Service metrics').spec?.selector,
    ]
    for (const selector of selectors) {
      expect(labels).toMatchObject(selector ?? { selector: 'missing' })
      expect(migration).not.toMatchObject(selector ?? {})
    }
  })

  test('migrates before the first installation only with a secret that exists by then', () => {
    const hookOf = (values: string) => objectIn(render(values), 'Job migration').metadata.annotations['helm.sh/hook']
    expect(hookOf(EXISTING)).toBe('pre-install,pre-upgrade')
    expect(hookOf(TRIAL)).toBe('pre-upgrade')
    expect(hookOf(`${TRIAL}migration: { existingSecret: owner }`)).toBe('pre-install,pre-upgrade')
    expect(render(`${TRIAL}migration: { enabled: false }`).objects.has('Job migration')).toBe(false)
  })

  test('migrates as the owner of the database, or past the pooler', () => {
    const pooled = 'secrets: { existingSecret: s, names: [DATABASE_URL, DATABASE_DIRECT_URL, ENCRYPTION_KEYS] }\n'
    const namesOf = (values: string) => Object.keys(environmentOf(render(values), 'Job migration'))
    expect(namesOf(pooled)).toEqual(['DATABASE_URL_FILE', 'DATABASE_DIRECT_URL_FILE'])
    const ofOwner = `${pooled}migration: { existingSecret: owner }`
    expect(namesOf(ofOwner)).toEqual(['DATABASE_URL_FILE'])
    expect(secretOf(render(ofOwner), 'Job migration')?.secretName).toBe('owner')
  })

  test('keeps the secrets of a trial as they are, and restarts the processes when they change', () => {
    const value = 'postgresql://gateway:a%22b\\\'"c@db/gateway'
    const rendered = render(`secrets: { values: { DATABASE_URL: ${JSON.stringify(value)}, ENCRYPTION_KEYS: k1:abc } }`)
    expect(objectIn(rendered, 'Secret').stringData).toEqual({ DATABASE_URL: value, ENCRYPTION_KEYS: 'k1:abc' })
    const checksumOf = (one: Rendered) => podOf(one).metadata.annotations['checksum/secrets']
    expect(checksumOf(rendered)).not.toBe(checksumOf(render(TRIAL)))
  })

  test('has the shipped alerts, and the job that they name', () => {
    const rendered = render(COMPLETE)
    expect(objectIn(rendered, 'PrometheusRule').spec).toEqual(parse(readFileSync(alerts, 'utf8')))
    const monitor = objectIn(rendered, 'ServiceMonitor').spec
    expect(monitor).toMatchObject({
      endpoints: [{ port: 'metrics', relabelings: [{ targetLabel: 'job', replacement: 'notification-gateway' }] }],
    })
    const service = objectIn(rendered, 'Service metrics')
    expect(service.spec).toMatchObject({ ports: [{ name: 'metrics' }] })
    expect(service.metadata.labels).toMatchObject(monitor?.selector ?? { selector: 'missing' })
    expect(objectIn(rendered, 'Service').metadata.labels).not.toMatchObject(monitor?.selector ?? {})
  })
})
