// Acts on many objects that are in progress: they continue on other pages, and after a reload of the tab. They end when
// the user signs out.
import type { Client } from 'urql'
import { keep, keptText } from '../../session/kept.ts'
import { sessionOf, subscribe } from '../../session/session.ts'
import { MAX_ATTEMPTS, pauseAfter } from '../repetition.ts'
import { type Act, type ActName, acts } from './acts.ts'

/** What is left to do: objects by their names, or all that match a filter behind a place. */
export type Work =
  | {
      readonly names: readonly string[]
      /** What to know about them before the act starts. */
      readonly note?: string
    }
  | { readonly filter: object; readonly after: string | null }

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

/** The name under which the tab keeps the jobs of an environment. */
const KEPT = 'bulk-jobs'

/** Reasons to keep. Objects are often rejected for the same one. */
const MAX_PROBLEMS = 5

/** Jobs of an environment before the tab was reloaded. */
function keptJobs(environmentId: string): readonly Job[] {
  const kept = JSON.parse(keptText(environmentId, KEPT) ?? '[]') as Job[]
  // An earlier release may have stored acts that this one does not know.
  return kept.filter(({ act }) => Object.hasOwn(acts, act))
}

let jobs: readonly Job[] = []
const listeners = new Set<() => void>()
/** The jobs that a loop of this page works on. */
const underWay = new Set<string>()

function show(next: readonly Job[]): void {
  jobs = next
  for (const listener of listeners) listener()
}

/** Changes the jobs of an environment. */
function change(environmentId: string, next: readonly Job[]): void {
  const unfinished = next.filter((job) => job.environmentId === environmentId && job.state !== 'finished')
  keep(environmentId, KEPT, JSON.stringify(unfinished))
  show(next)
}

function update(id: string, changes: Partial<Job>): void {
  const job = jobs.find((each) => each.id === id)
  // Its environment may have been signed out of meanwhile.
  if (job === undefined) return
  change(
    job.environmentId,
    jobs.map((each) => (each === job ? { ...job, ...changes } : each)),
  )
}

subscribe(() => {
  const left = jobs.filter(({ environmentId }) => sessionOf(environmentId) !== undefined)
  if (left.length < jobs.length) show(left)
})

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
  const { done, remaining, hasMore, next } = outcome.payload
  return {
    work: { filter, after: next },
    done: job.done + done,
    total: Math.max(job.total, job.done + done + remaining),
    state: hasMore ? job.state : 'finished',
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
        await pauseAfter(attempt)
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
  change(given.environmentId, [...jobs, { ...given, id, done: 0, state: 'running', problems: [] }])
  void work(client, id)
}

export const stopJob = (id: string): void => update(id, { state: 'stopped' })

export function continueJob(client: Client, id: string): void {
  update(id, { state: 'running', problems: [] })
  void work(client, id)
}

export const removeJob = ({ id, environmentId }: Job): void =>
  change(
    environmentId,
    jobs.filter((job) => job.id !== id),
  )

/** Continues the jobs of an environment that a reload has interrupted. */
export function resumeJobs(client: Client, environmentId: string): void {
  const left = keptJobs(environmentId).filter(({ id }) => jobs.every((job) => job.id !== id))
  if (left.length > 0) show([...jobs, ...left])
  for (const job of jobs) if (job.environmentId === environmentId && job.state === 'running') void work(client, job.id)
}
