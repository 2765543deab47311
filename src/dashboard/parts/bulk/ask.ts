// Asks for confirmation before an act on many objects: says how many there are, then starts it.
import { type Client, useClient } from 'urql'
import { useSession } from '../../session/session-context.ts'
import { confirmAct } from '../action/confirm-act.tsx'
import { usePending } from '../pending.ts'
import { showDone, showFailure, showProblems } from '../messages.ts'
import { type Act, type ActName, acts, counted } from './acts.ts'
import { startJob, type Work } from './jobs.ts'

/** An act on many objects, as the dialog describes it. */
export interface BulkAct {
  readonly act: ActName
  /** What the button does, such as `Delete`. */
  readonly label: string
  readonly consequence: string
  /** The message if there is no object that it can be done with. */
  readonly nothing: string
}

/** Limits an act with all that match to the objects that exist now. */
function workNow({ takesCreatedBefore }: Act, work: Work): Work {
  if ('names' in work || takesCreatedBefore !== true) return work
  const filter: { readonly createdBefore?: string | null } = work.filter
  const chosen = Date.parse(filter.createdBefore ?? '')
  // The end in the filter may be in the future.
  const end = Number.isNaN(chosen) ? Date.now() : Math.min(chosen, Date.now())
  return { ...work, filter: { ...filter, createdBefore: new Date(end).toISOString() } }
}

/** Returns the work. Undefined if its objects could not be read. */
async function prepared(act: Act, workOf: () => Work | Promise<Work>): Promise<Work | undefined> {
  try {
    return workNow(act, await workOf())
  } catch (error) {
    showFailure(error)
    return undefined
  }
}

/** Returns the number of objects to act on. Undefined if the gateway could not count them. */
async function countOf(client: Client, name: ActName, work: Work): Promise<number | undefined> {
  if ('names' in work) return work.names.length
  const act: Act = acts[name]
  const outcome = await act.matching?.(client, work.filter, { dryRun: true })
  if (outcome === undefined) return 0
  if (outcome.ok) return outcome.payload.done
  showProblems(outcome.problems)
  return undefined
}

/** Returns whether objects are being counted, and a function that counts, asks and starts. */
export function useBulkAct(): readonly [
  counting: boolean,
  ask: (bulk: BulkAct, workOf: () => Work | Promise<Work>, onStart?: () => void) => Promise<void>,
] {
  const client = useClient()
  const { environmentId } = useSession()
  const [counting, during] = usePending()
  const ask = (
    { act, label, consequence, nothing }: BulkAct,
    workOf: () => Work | Promise<Work>,
    onStart?: () => void,
  ) =>
    during(async () => {
      const work = await prepared(acts[act], workOf)
      if (work === undefined) return
      const total = await countOf(client, act, work)
      if (total === undefined) return
      if (total === 0) {
        showDone(nothing)
        return
      }
      confirmAct({
        title: `${label} ${counted(act, total)}?`,
        consequence: 'names' in work && work.note !== undefined ? `${work.note} ${consequence}` : consequence,
        confirm: label,
        dismiss: 'Cancel',
        onConfirm: async () => {
          startJob(client, { act, environmentId, work, total })
          onStart?.()
        },
      })
    })
  return [counting, ask]
}
