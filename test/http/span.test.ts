// The spans that are recorded once an OpenTelemetry SDK is registered.
import { SpanKind } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done } from '../support/delivery/story.ts'
import { useTracing } from '../support/tracing.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
const spans = useTracing()
const traceId = '0af7651916cd43dd8448eb211c80319c'
const callersSpan = 'b7ad6b7169203331'

async function mailer() {
  const client = await world.environment()
  await done(client, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(client, [{ email: { stepId: 'mail', subject: 'Shipped', body: 'Your order is on its way.' } }])
  return client
}

const named = (name: string) => spans.find((span) => span.name === name)

describe('spans', () => {
  test('lead from the request of a caller through its workflow to the provider', async () => {
    const acme = await mailer()
    const headers = { traceparent: `00-${traceId}-${callersSpan}-01` }
    const { body } = await acme.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada' }, headers })
    await world.work()
    const [request, triggered, fanOut, step, attempt] = [
      named('rest POST /v1/events/trigger'),
      named('trigger'),
      named('fan_out'),
      named('step'),
      named('attempt'),
    ]
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      traceId,
      parentSpanId: callersSpan,
      attributes: { 'http.request.method': 'POST', 'http.response.status_code': 201 },
    })
    expect(triggered).toMatchObject({ traceId, parentSpanId: request?.spanId, attributes: { workflow: 'order' } })
    // Later work knows the request through the event, which stores its trace.
    expect(fanOut).toMatchObject({ traceId, parentSpanId: request?.spanId, attributes: { runs: 1 } })
    expect(step).toMatchObject({ traceId, parentSpanId: fanOut?.spanId, attributes: { 'step.id': 'mail' } })
    expect(attempt).toMatchObject({
      kind: SpanKind.CLIENT,
      traceId,
      parentSpanId: request?.spanId,
      hasFailed: false,
      attributes: { channel: 'email', provider: 'email-webhook', integration: 'email_webhook' },
    })
    expect(receiver.last.headers['traceparent']).toBe(`00-${traceId}-${attempt?.spanId}-01`)
    expect(spans.filter(({ hasEnded }) => !hasEnded)).toEqual([])
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { traceId } }', {
      id: body.transactionId,
    })
    expect(event).toEqual({ traceId })
  })

  test('without a traceparent begin a trace, whose id is in the execution log', async () => {
    const acme = await mailer()
    const input = { workflowIdentifier: 'order', to: [{ subscriber: { subscriberId: 'ada' } }] }
    const { event } = await acme.act('triggerEvent', input, 'event { traceId }')
    const request = named('graphql triggerEvent')
    expect(request).toMatchObject({ parentSpanId: undefined, traceId: event.traceId })
    await world.work()
  })

  test('of failed attempts and requests have the status error', async () => {
    const acme = await mailer()
    receiver.answer(400)
    await acme.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada' } })
    await world.work()
    expect(named('attempt')).toMatchObject({ hasFailed: true, hasEnded: true })
    await acme.rest('POST /v1/events/trigger', { body: { name: 'unknown', to: 'ada' } })
    expect(spans.filter(({ name }) => name === 'trigger').map(({ hasFailed }) => hasFailed)).toEqual([false, true])
  })
})
