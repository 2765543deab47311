// The entry of the embedded database's thread: answers messages in PostgreSQL's protocol, one after the other.
import { parentPort, workerData } from 'node:worker_threads'
import { copyEmptyDatabase } from './empty-database.ts'
import { openPGlite } from './pglite.ts'

/** Messages from the thread. An uncaught error ends the thread. */
export type Report =
  | { readonly kind: 'opened' }
  | { readonly kind: 'answer'; readonly answer: Uint8Array }
  | { readonly kind: 'notification'; readonly channel: string; readonly payload: string }
  | { readonly kind: 'closed' }

/** The requests to the thread: messages in PostgreSQL's protocol, or to close the database. */
export type Request = Uint8Array | 'close'

const port = parentPort
if (port === null) throw new Error('this module is the entry of a thread')

const report = (value: Report, transfer: ArrayBuffer[] = []) => port.postMessage(value, transfer)

const { directory } = workerData as { readonly directory: string }
copyEmptyDatabase(directory)
const database = await openPGlite(directory)
database.onNotification((channel, payload) => report({ kind: 'notification', channel, payload }))

async function respond(request: Request): Promise<void> {
  if (request === 'close') {
    await database.close()
    report({ kind: 'closed' })
    return
  }
  // Not `execProtocolRaw`, which keeps every message of every answer, and thus every row, until the database is closed.
  const { data: answer } = await database.execProtocol(request, { throwOnError: false })
  report({ kind: 'answer', answer }, [answer.buffer as ArrayBuffer])
}

port.on('message', (request: Request) => void respond(request))
report({ kind: 'opened' })
