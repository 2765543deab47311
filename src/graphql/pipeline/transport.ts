// How the result of an operation is sent, and which transports the request accepts.
import { OperationTypeNode } from 'graphql'
import { Refusal } from '../../lib/errors.ts'
import type { Transport } from '../../lib/metrics.ts'
import type { GraphContext } from '../schema/builder.ts'

/** The media types of a subscription's response. */
const streamTypes = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']

const acceptOf = (headers: Headers) => headers.get('accept')

/** True if the request accepts at least one of these media types. */
export function accepts({ headers }: Pick<Request, 'headers'>, types: readonly string[]): boolean {
  const accepted = (acceptOf(headers) ?? '*/*').toLowerCase().split(',')
  const ranges = new Set(accepted.map((range) => range.replace(/;.*/, '').trim()))
  return ranges.has('*/*') || types.some((type) => ranges.has(type) || ranges.has(type.replace(/\/.*/, '/*')))
}

/** True if the request accepts subscriptions over multipart. */
export function acceptsMultipart({ headers }: Pick<Request, 'headers'>): boolean {
  return /multipart\/mixed[^,]*;\s*subscriptionspec="?1\.0"?/i.test(acceptOf(headers) ?? '')
}

export function notAcceptable(types: readonly string[]): Refusal {
  return new Refusal('NOT_ACCEPTABLE', `Accept must allow ${types.length > 1 ? 'one of ' : ''}${types.join(', ')}`)
}

type Received = Pick<GraphContext, 'received'>

/** @throws Refusal if the transport does not carry operations of this type. */
export function assertTransport(type: OperationTypeNode | undefined, { received }: Received): void {
  const isStream = type === OperationTypeNode.SUBSCRIPTION
  if (received === undefined) {
    if (isStream) return
    const message = 'A WebSocket carries subscriptions only: send queries and mutations as HTTP requests'
    throw new Refusal('METHOD_NOT_ALLOWED', message)
  }
  if (isStream && !accepts(received, ['text/event-stream']) && !acceptsMultipart(received)) {
    throw notAcceptable(streamTypes)
  }
}

/** The transport of a subscription. */
export function transportOf({ received }: Received): Transport {
  if (received === undefined) return 'websocket'
  const acceptsEvents = /text\/event-stream|\*\/\*/.test(acceptOf(received.headers) ?? '*/*')
  return acceptsMultipart(received) && !acceptsEvents ? 'multipart' : 'sse'
}
