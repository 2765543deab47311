// A mail server that takes whole messages and never answers, and a time limit that ends exactly then.
import { text } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'
import { smtp } from './smtp.ts'

/** Starts the server for one test. Attempts to send through it end as if their time limit had passed. */
export async function silentSmtp() {
  let limits: AbortController[] = []
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController()
    limits.push(limit)
    return limit.signal
  })
  onTestFinished(() => timeout.mockRestore())
  const bodies: string[] = []
  const { credentials } = await smtp({
    onData(stream) {
      void text(stream).then((body) => {
        bodies.push(body)
        for (const limit of limits) limit.abort(new DOMException('The operation timed out.', 'TimeoutError'))
        limits = []
      })
    },
  })
  return { credentials, bodies }
}
