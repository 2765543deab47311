// The time from a trigger to its notification in the recipient's open stream.
import { type Subject, WORKFLOW } from './subject.ts'

export interface OpenStream {
  /** Triggers the workflow for the stream's subscriber. @returns milliseconds until the stream has the notification. */
  latency(): Promise<number>
  close(): Promise<void>
}

/** Creates a subscriber and opens the stream of its feed. */
export async function openStream({ post }: Pick<Subject, 'post'>, subscriberId: string): Promise<OpenStream> {
  await post('/v2/subscribers', { subscriberId })
  const query = `subscription ($id: String!) { notificationReceived(subscriberId: $id) { body } }`
  const request = { query, variables: { id: subscriberId } }
  const { body } = await post('/graphql', request, { accept: 'text/event-stream' })
  if (body === null) throw new Error('a stream has a body')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async latency() {
      const start = performance.now()
      await post('/v1/events/trigger', { name: WORKFLOW, to: subscriberId })
      while (!/event: next\ndata:.*\n\n/.test(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`the stream ended: ${text}`)
        text += value
      }
      text = ''
      return performance.now() - start
    },
    close: () => reader.cancel(),
  }
}
