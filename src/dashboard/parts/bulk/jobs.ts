// Acts on many objects that are in progress: they continue on other pages, and after a reload of the tab.
import type { Client } from 'urql'
import { type Act, type ActName, acts } from './acts.ts'

/** What is left to do: objects by their names, or all that match a filter behind a place. */
export type Work = { readonly names: readonly string[] } | { readonly filter: object; readonly after: string | null }

export interface Job {
  readonly id: string
  readonly act: ActName
  readonly environmentId: string
  readonly work: Work
  /** The number of objects that the act was started for. */
  readonly total: number
  readonly done: number
  readonly state: 'running' | 'stopped' | 'finished'
  /** Objects that the gateway rejected, with its reasons, and why the job stopped. */
  readonly problems: readonly string[]
}

/** The key of the session storage. */
const STORED = 'bulk-jobs'

/** Attempts of a request that fails, and half of the milliseconds before the second one. The pauses double. */
const MAX_ATTEMPTS = 4
const PAUSE = 500

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Reasons to keep. Objects are often rejected for the same one. */
const MAX_PROBLEMS = 5

/** Jobs of the tab before it was reloaded. */
function storedJobs(): readonly Job[] {
  const stored = JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as Job[]
  // An earlier release may have stored acts that this one does not know.
  return stored.filter(({ act }) => act in acts)
}

let jobs: readonly Job[] = storedJobs()
const listeners = new Set<() => void>()
/** The jobs that a loop of this page works on. */
const underWay = new Set<string>()

function change(next: readonly Job[]): void {
  jobs = next
  sessionStorage.setItem(STORED, JSON.stringify(jobs.filter(({ state }) => state !== 'finished')))
  for (const listener of listeners) listener()
}

const update = (id: string, changes: Partial<Job>) =>
  change(jobs.map((job) => (job.id === id ? { ...job, ...changes } : job)))

export const currentJobs = (): readonly Job[] => jobs

export function observeJobs(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const isRunning = (id: string) => jobs.find((job) => job.id === id)?.state === 'running'

/** Adds reasons, each once. */
const withProblems = (job: Job, found: readonly { readonly message: string }[]): readonly string[] =>
  [...new Set([...job.problems, ...found.map(({ message }) => message)])].slice(0, MAX_PROBLEMS)

const failed = (job: Job, problems: readonly { readonly message: string }[]): Step => ({
  state: 'stopped',
  problems: withProblems(job, problems),
  isFailed: true,
})

interface Step extends Partial<Job> {
  /** True if the request failed, so that the same step can be repeated. */
  readonly isFailed?: boolean
}

/** Acts on one object, or on one portion. @returns the changes of the job. */
async function step(client: Client, job: Job): Promise<Step> {
  const act: Act = acts[job.act]
  if ('names' in job.work) {
    const [name, ...names] = job.work.names
    if (name === undefined) return { state: 'finished' }
    const outcome = await act.single(client, name)
    if (!outcome.ok && outcome.isRequest) return failed(job, outcome.problems)
    const state = names.length === 0 ? 'finished' : job.state
    // The others may still be possible.
    return outcome.ok
      ? { work: { names }, done: job.done + 1, state }
      : { work: { names }, problems: withProblems(job, outcome.problems), state }
  }
  const { filter, after } = job.work
  const outcome = await act.matching?.(client, filter, { after })
  if (outcome === undefined) return { state: 'finished' }
  if (!outcome.ok) return failed(job, outcome.problems)
  const { done, remaining, next } = outcome.payload
  return {
    work: { filter, after: next },
    done: job.done + done,
    total: Math.max(job.total, job.done + done + remaining),
    state: remaining > 0 && (done > 0 || next !== null) ? job.state : 'finished',
  }
}

/** Works on a job until it is finished or stopped. */
async function work(client: Client, id: string): Promise<void> {
  if (underWay.has(id)) return
  underWay.add(id)
  try {
    for (let attempt = 1; ;) {
      const job = jobs.find((each) => each.id === id)
      if (job?.state !== 'running') return
      const { state, isFailed = false, ...others } = await step(client, job)
      if (isFailed && attempt < MAX_ATTEMPTS) {
        // Nothing is noted before the pause: a reload cancels requests, and the job then continues in the new page.
        await pause(PAUSE * 2 ** attempt)
        attempt += 1
        continue
      }
      attempt = 1
      // Someone may have stopped it meanwhile.
      update(id, state !== undefined && (state !== 'running' || isRunning(id)) ? { ...others, state } : others)
    }
  } finally {
    underWay.delete(id)
  }
}

/** Starts an act on many objects. */
export function startJob(client: Client, given: Pick<Job, 'act' | 'environmentId' | 'work' | 'total'>): void {
  const id = crypto.randomUUID()
  change([...jobs, { ...given, id, done: 0, state: 'running', problems: [] }])
  void work(client, id)
}

export const stopJob = (id: string): void => update(id, { state: 'stopped' })

export function continueJob(client: Client, id: string): void {
  update(id, { state: 'running', problems: [] })
  void work(client, id)
}

export const removeJob = (id: string): void => change(jobs.filter((job) => job.id !== id))

/** Continues the jobs of an environment that a reload has interrupted. */
export function resumeJobs(client: Client, environmentId: string): void {
  for (const job of jobs) if (job.environmentId === environmentId && job.state === 'running') void work(client, job.id)
}
