// Records spans through the OpenTelemetry API, like an SDK.
import {
  context,
  type Context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface RecordedSpan {
  name: string
  readonly kind: SpanKind
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Record<string, unknown>
  hasFailed: boolean
  hasEnded: boolean
}

class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()

  active = () => this.#storage.getStore() ?? ROOT_CONTEXT
  with = <Args extends unknown[], Run extends (...args: Args) => ReturnType<Run>>(
    given: Context,
    run: Run,
    self?: ThisParameterType<Run>,
    ...args: Args
  ): ReturnType<Run> => this.#storage.run(given, () => run.call(self, ...args))
  bind = <Target>(_context: Context, target: Target): Target => target
  enable = () => this
  disable = () => this
}

/** A span that records its attributes, status and end. */
function spanOf(recorded: RecordedSpan): Span {
  const { traceId, spanId } = recorded
  const span: Span = {
    spanContext: (): SpanContext => ({ traceId, spanId, traceFlags: 1 }),
    setAttribute(key, value) {
      recorded.attributes[key] = value
      return span
    },
    setAttributes(attributes) {
      Object.assign(recorded.attributes, attributes)
      return span
    },
    setStatus({ code }) {
      recorded.hasFailed = code === SpanStatusCode.ERROR
      return span
    },
    updateName(name) {
      recorded.name = name
      return span
    },
    end() {
      recorded.hasEnded = true
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    isRecording: () => true,
    recordException: () => {},
  }
  return span
}

/**
 * Registers a tracer for the tests of a file. @returns the spans since the start of a test, in the order in which they
 * started.
 */
export function useTracing(): readonly RecordedSpan[] {
  const spans: RecordedSpan[] = []
  const startSpan = (name: string, { kind = SpanKind.INTERNAL, attributes }: SpanOptions = {}, given: Context) => {
    const parent = trace.getSpanContext(given)
    const recorded: RecordedSpan = {
      name,
      kind,
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: parent?.spanId,
      attributes: { ...attributes },
      hasFailed: false,
      hasEnded: false,
    }
    spans.push(recorded)
    return spanOf(recorded)
  }
  const tracer: Pick<Tracer, 'startSpan'> = {
    startSpan: (name, options, given = context.active()) => startSpan(name, options, given),
  }
  beforeAll(() => {
    context.setGlobalContextManager(new Contexts())
    trace.setGlobalTracerProvider({ getTracer: () => tracer as Tracer })
  })
  beforeEach(() => void spans.splice(0))
  afterAll(() => {
    trace.disable()
    context.disable()
  })
  return spans
}
