// The metrics and the alerts, judged by Prometheus itself. Needs promtool, which is in Debian's package prometheus.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createMetrics, type GatewayMetrics } from '../../src/metrics/registry.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { parseScrape, type Scrape } from '../support/scrape.ts'
import { useWorld } from '../support/world.ts'

const rulesFile = path.join(import.meta.dirname, '../../docs/monitoring/alerts.yaml')
const rules: { readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[] } = parse(
  readFileSync(rulesFile, 'utf8'),
)
const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert))

const isInstalled = spawnSync('promtool', ['--version']).status === 0

/** Runs promtool. @returns its complaints. */
function promtool(words: readonly string[], input = ''): string {
  const { stdout, stderr, status } = spawnSync('promtool', words, { input, encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

/** The values of series, one for each interval, in the notation of promtool: `0+10x4` is 0 10 20 30 40. */
type Series = ReadonlyMap<string, string>

const TARGET = 'job="notification-gateway",instance="gateway-1:9464"'

/** Adds the labels of a target to a series, as Prometheus does. */
const ofTarget = (series: string) =>
  series.endsWith('}') ? `${series.slice(0, -1)},${TARGET}}` : `${series}{${TARGET}}`

/** A process that reports the same values 1,680 times, which is for seven hours at intervals of 15 seconds. */
const constant = (scrape: Scrape): Series =>
  new Map([['up', '1x1680'], ...[...scrape].map(([series, value]) => [series, `${value}x1680`] as const)])

/** The interval of scrapes: two minutes in stories of days, which would take promtool half a minute otherwise. */
const intervalOf = (after: string) => (after.endsWith('h') ? '2m' : '15s')

/** Compares the alerts raised after a time, such as `30m`, with the expected ones. @returns the differences. */
async function compareAlerts(series: Series, after: string, expected: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-alerts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'test.yaml')
  const raised = {
    expr: 'max by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: after,
    exp_samples: expected.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
  }
  const input = [...series].map(([name, values]) => ({ series: ofTarget(name), values }))
  const interval = intervalOf(after)
  const tests = [{ interval, input_series: input, promql_expr_test: [raised] }]
  await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests }))
  return promtool(['test', 'rules', file])
}

/** The cause of each alert: series that differ from those of a healthy process for some time. */
const causes: Readonly<Record<string, { readonly after: string; readonly series: Readonly<Record<string, string>> }>> =
  {
    NotificationGatewayDown: { after: '5m', series: { up: '0x20' } },
    NotificationGatewayDatabaseAway: { after: '5m', series: { notification_gateway_database_up: '0x20' } },
    NotificationGatewayEnvironmentsDatabaseAway: {
      after: '5m',
      series: { 'notification_gateway_environments_database_up{database="eu"}': '0x20' },
    },
    NotificationGatewayQueueDelayed: {
      after: '5m',
      series: { 'notification_gateway_queue_oldest_due_age_seconds{kind="messages"}': '61x20' },
    },
    NotificationGatewayPaused: {
      after: '25h',
      series: { 'notification_gateway_queue_jobs{kind="messages",state="paused"}': '1x800' },
    },
    NotificationGatewayProviderFails: {
      after: '5m',
      series: {
        'notification_gateway_attempts_total{channel="email",provider="postmark",outcome="accepted"}': '0+1x20',
        'notification_gateway_attempts_total{channel="email",provider="postmark",outcome="retried"}': '0+2x20',
      },
    },
    NotificationGatewayMessagesLost: {
      after: '5m',
      series: {
        'notification_gateway_messages_total{channel="email",provider="postmark",outcome="failed"}': '0x4 5000x20',
      },
    },
    NotificationGatewayBounces: {
      after: '15m',
      series: {
        'notification_gateway_messages_total{channel="email",provider="postmark",outcome="sent"}': '0+100x60',
        'notification_gateway_reports_total{channel="email",provider="postmark",kind="bounced_hard"}': '0+6x60',
      },
    },
    NotificationGatewayComplaints: {
      after: '15m',
      series: {
        'notification_gateway_messages_total{channel="email",provider="postmark",outcome="sent"}': '0+500x60',
        'notification_gateway_reports_total{channel="email",provider="postmark",kind="complained"}': '0+1x60',
      },
    },
    NotificationGatewayFaults: {
      after: '3m',
      series: { 'notification_gateway_rejections_total{door="rest",code="INTERNAL_SERVER_ERROR"}': '0x4 1x20' },
    },
    NotificationGatewayRateLimited: {
      after: '20m',
      series: { 'notification_gateway_rejections_total{door="graphql",code="RATE_LIMITED"}': '0+30x80' },
    },
    NotificationGatewaySlow: {
      after: '15m',
      series: {
        'notification_gateway_request_duration_seconds_bucket{le="1",door="rest",operation="unknown"}': '0x60',
        'notification_gateway_request_duration_seconds_bucket{le="2.5",door="rest",operation="unknown"}': '0+15x60',
        'notification_gateway_request_duration_seconds_bucket{le="+Inf",door="rest",operation="unknown"}': '0+15x60',
      },
    },
    NotificationGatewayEventLoopBlocked: {
      after: '15m',
      series: {
        'notification_gateway_event_loop_delay_seconds_bucket{le="0.25"}': '0x60',
        'notification_gateway_event_loop_delay_seconds_bucket{le="0.5"}': '0+40x60',
        'notification_gateway_event_loop_delay_seconds_bucket{le="+Inf"}': '0+40x60',
      },
    },
    NotificationGatewayPoolExhausted: { after: '10m', series: { notification_gateway_database_waiting: '21x40' } },
    NotificationGatewayEvaluationsStopped: {
      after: '5m',
      series: { 'notification_gateway_evaluations_stopped_total{kind="render",cause="time"}': '0x4 20x20' },
    },
    NotificationGatewayNotReady: { after: '5m', series: { 'notification_gateway_ready{check="keyRing"}': '0x20' } },
    NotificationGatewayNotListening: {
      after: '10m',
      series: { 'notification_gateway_ready{check="listener"}': '0x40' },
    },
    NotificationGatewayMessagesSlow: {
      after: '15m',
      series: {
        'notification_gateway_trigger_to_sent_seconds_bucket{le="60",channel="email"}': '0x60',
        'notification_gateway_trigger_to_sent_seconds_bucket{le="300",channel="email"}': '0+1x60',
        'notification_gateway_trigger_to_sent_seconds_bucket{le="+Inf",channel="email"}': '0+1x60',
      },
    },
    NotificationGatewayEventsFailed: {
      after: '5m',
      series: { 'notification_gateway_events_failed_total{reason="workflow_suspended"}': '0x4 1x20' },
    },
    NotificationGatewayRunsFailed: { after: '5m', series: { notification_gateway_runs_failed_total: '0x4 1x20' } },
    NotificationGatewayWorkflowSuspended: {
      after: '10m',
      series: { notification_gateway_workflows_suspended: '1x40' },
    },
    NotificationGatewayIntegrationFailing: {
      after: '10m',
      series: { notification_gateway_integrations_failing: '1x40' },
    },
    NotificationGatewayCircuitOpen: { after: '10m', series: { notification_gateway_open_circuits: '1x40' } },
    NotificationGatewayWebhookDisabled: {
      after: '5m',
      series: { notification_gateway_webhook_subscriptions_disabled_total: '0x4 1x20' },
    },
    NotificationGatewayReplicaUnusable: { after: '10m', series: { notification_gateway_replica_up: '0x40' } },
    NotificationGatewayReplicaBehind: {
      after: '10m',
      series: { notification_gateway_replica_lag_bytes: '65000000x40' },
    },
    NotificationGatewayReplicaLate: { after: '10m', series: { notification_gateway_replica_lag_seconds: '61x40' } },
    NotificationGatewayDiskFull: { after: '10m', series: { notification_gateway_disk_free_bytes: '900000000x40' } },
    NotificationGatewayFilesExhausted: {
      after: '10m',
      series: { process_open_fds: '900x40', process_max_fds: '1024x40' },
    },
    NotificationGatewayHeapFull: {
      after: '10m',
      series: { notification_gateway_heap_used_bytes: '950x40', notification_gateway_heap_limit_bytes: '1000x40' },
    },
    NotificationGatewaySweepBehind: {
      after: '25h',
      series: { 'notification_gateway_task_finished_timestamp_seconds{task="sweep"}': '0x800' },
    },
    NotificationGatewayBackupOld: {
      after: '49h',
      series: { 'notification_gateway_task_finished_timestamp_seconds{task="backup"}': '0x1600' },
    },
  }

describe.runIf(isInstalled)('promtool (needs the package prometheus)', () => {
  const world = useWorld()

  /** The series of a process that has processed something. */
  async function healthy(): Promise<Series> {
    return constant(parseScrape(await world.metrics.print()))
  }

  /** The series of a new process. `act` happens between its first and its second scrape. */
  async function around(act: (metrics: GatewayMetrics) => void): Promise<Series> {
    const metrics = createMetrics()
    const before = parseScrape(await metrics.print())
    act(metrics)
    const after = parseScrape(await metrics.print())
    metrics.close()
    return new Map([...after].map(([series, value]) => [series, `${before.get(series) ?? '_'} ${value}x20`] as const))
  }

  test('accepts the metrics of a process that has worked', async () => {
    await done(world.development, 'createSubscriber', { subscriberId: 'ada' })
    await createWorkflow(world.development, [{ inApp: { body: 'Hello' } }])
    await trigger(world.development)
    await world.work()
    expect(promtool(['check', 'metrics'], await world.metrics.print())).toBe('')
  })

  test('accepts the rules', () => {
    expect(promtool(['check', 'rules', rulesFile])).toBe('')
  })

  test('raises no alert about a healthy process', async () => {
    expect(await compareAlerts(await healthy(), '7h', [])).toBe('')
  })

  test('receives a cause of every alert', () => {
    expect(Object.keys(causes)).toEqual(alerts)
  })

  test.each(Object.entries(causes))('raises %s and no other alert', async (alert, { after, series }) => {
    const all = new Map([...(await healthy()), ...Object.entries(series)])
    expect(await compareAlerts(all, after, [alert])).toBe('')
  })

  test('raises an alert about 40 faults between the first two scrapes', async () => {
    const series = await around((metrics) => {
      for (let count = 0; count < 40; count += 1) metrics.rejected('rest', 'INTERNAL_SERVER_ERROR')
    })
    expect(await compareAlerts(series, '45s', ['NotificationGatewayFaults'])).toBe('')
  })

  test('raises an alert about 5,000 lost messages between the first two scrapes', async () => {
    const series = await around((metrics) => metrics.messagesEnded('email', 'postmark', 'failed', 5_000))
    expect(await compareAlerts(series, '45s', ['NotificationGatewayMessagesLost'])).toBe('')
  })
})
