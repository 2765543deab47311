// The state of all databases of an installation, as if they were one. A database that is away does not hide the others.
import type { QueueState } from '../data/queue/queue-state.ts'
import { type JobKind, jobKinds } from '../data/queue/job.ts'
import { createProbe } from './probe.ts'
import type { InstallationState, MetricSources } from './state-metrics.ts'

/** The state of one database and of the work on it. */
export interface DatabaseSource extends Pick<
  MetricSources,
  'pool' | 'readQueue' | 'housekeeping' | 'readInstallation' | 'failingIntegrations' | 'places'
> {
  /** Fails if the database does not answer. */
  readonly ping: () => Promise<void>
}

/** A database beside the main one. Without a source, it could not be opened yet. */
export interface OtherSource {
  readonly name: string
  readonly source: DatabaseSource | undefined
}

/** Milliseconds that a scrape waits for a database beside the main one. */
const PATIENCE = 1_500

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Adds numbers with the same name. */
function sums<Name extends string>(records: readonly Readonly<Record<Name, number>>[]): Readonly<Record<Name, number>> {
  const names = new Set(records.flatMap((record) => Object.keys(record) as Name[]))
  return Object.fromEntries([...names].map((name) => [name, sum(records.map((record) => record[name]))])) as Record<
    Name,
    number
  >
}

function queueOf(kind: JobKind, states: readonly QueueState[]): QueueState {
  const own = states.filter((state) => state.kind === kind)
  const since = own.flatMap(({ oldestSince }) => (oldestSince === null ? [] : oldestSince.getTime()))
  return {
    kind,
    due: sum(own.map(({ due }) => due)),
    scheduled: sum(own.map(({ scheduled }) => scheduled)),
    held: sum(own.map(({ held }) => held)),
    limited: sum(own.map(({ limited }) => limited)),
    oldestSince: since.length === 0 ? null : new Date(Math.min(...since)),
  }
}

function installationOf(states: readonly InstallationState[]): InstallationState {
  const finished: Record<string, Date> = {}
  // A task that lags on one database lags.
  for (const [task, at] of states.flatMap((state) => Object.entries(state.finished))) {
    const known = finished[task]
    if (known === undefined || at < known) finished[task] = at
  }
  return {
    suspendedWorkflows: sum(states.map(({ suspendedWorkflows }) => suspendedWorkflows)),
    openCircuits: sum(states.map(({ openCircuits }) => openCircuits)),
    finished,
  }
}

function housekeepingOf(all: readonly DatabaseSource['housekeeping'][]): DatabaseSource['housekeeping'] {
  const tasks = new Set(all.flatMap(({ ended }) => Object.keys(ended)))
  const endsOf = (task: string) => all.flatMap(({ ended }) => ended[task] ?? [])
  const behind: Record<string, number> = {}
  for (const [rows, seconds] of all.flatMap(({ oldestExpired }) => Object.entries(oldestExpired))) {
    behind[rows] = Math.max(behind[rows] ?? 0, seconds)
  }
  return {
    deleted: sums(all.map(({ deleted }) => deleted)),
    oldestExpired: behind,
    ended: Object.fromEntries(
      [...tasks].map((task) => [
        task,
        {
          finished: sum(endsOf(task).map(({ finished }) => finished)),
          failed: sum(endsOf(task).map(({ failed }) => failed)),
        },
      ]),
    ),
  }
}

/**
 * @param readOthers returns the databases beside the main one.
 * @param process the state of the process, whatever its databases.
 */
export function databaseSources(
  main: DatabaseSource,
  readOthers: () => readonly OtherSource[],
  process: Omit<MetricSources, keyof DatabaseSource | 'databasesUp'>,
): MetricSources {
  const opened = () => readOthers().flatMap(({ source }) => source ?? [])
  const all = () => [main, ...opened()]
  /** Reads a state of each database: the main one must answer, and others are left out that do not. */
  async function readAll<State>(read: (source: DatabaseSource) => Promise<State>): Promise<readonly State[]> {
    const others = opened().map((source) => createProbe(() => read(source), { patience: PATIENCE })())
    const [own, ...found] = await Promise.all([read(main), ...others])
    return [own, ...found.flatMap((state) => state ?? [])]
  }
  return {
    ...process,
    get pool() {
      const pools = all().map(({ pool }) => pool)
      return {
        totalCount: sum(pools.map(({ totalCount }) => totalCount)),
        idleCount: sum(pools.map(({ idleCount }) => idleCount)),
        waitingCount: sum(pools.map(({ waitingCount }) => waitingCount)),
      }
    },
    async readQueue() {
      const states = (await readAll((source) => source.readQueue())).flat()
      return jobKinds.map((kind) => queueOf(kind, states))
    },
    get housekeeping() {
      return housekeepingOf(all().map(({ housekeeping }) => housekeeping))
    },
    readInstallation: async () => installationOf(await readAll((source) => source.readInstallation())),
    failingIntegrations: () => sum(all().map(({ failingIntegrations }) => failingIntegrations())),
    get places() {
      return sums(all().map(({ places: { held, free, inFlight } }) => ({ held, free, inFlight })))
    },
    async databasesUp() {
      const answers = readOthers().map(async ({ name, source }): Promise<readonly [string, boolean]> => {
        const isUp = source && (await createProbe(() => source.ping().then(() => true), { patience: PATIENCE })())
        return [name, isUp === true]
      })
      return Object.fromEntries(await Promise.all(answers))
    },
  }
}
