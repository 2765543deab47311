// Spans for OpenTelemetry, through its API alone. They exist only if an SDK is registered, and otherwise cost nothing.
import {
  type Attributes,
  context,
  type Context,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { Traced } from './trace.ts'

/** The name of the instrumentation. */
const NAME = 'notification-gateway'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const

export interface SpanOptions {
  readonly name: string
  /** Default: `internal`. */
  readonly kind?: keyof typeof kinds
  /** The `traceparent` of the parent. An active span in this process takes precedence. */
  readonly parent: string | null | undefined
  readonly attributes?: Attributes
}

/** A span in progress. */
export interface OpenSpan extends Traced {
  readonly rename: (name: string) => void
  readonly set: (attributes: Attributes) => void
  readonly fail: () => void
}

/** @returns undefined if no SDK is registered. */
function tracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  // Deprecated, but in this version the only way to detect that there is no SDK. Tracers without one also take time.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(NAME) : provider.getTracer(NAME)
}

function parentContext(parent: string | null | undefined): Context {
  const active = context.active()
  if (typeof parent !== 'string' || trace.getSpan(active) !== undefined) return active
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-')
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

function opened(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
  }
}

/**
 * Runs `work` in a span, if an SDK is registered. A thrown error marks the span as failed.
 *
 * @param describe is only called with an SDK.
 * @param work receives the span, or undefined without an SDK.
 */
// Not async: without an SDK, the only effect would be another promise per request.
export function inSpan<Result>(
  describe: () => SpanOptions,
  work: (span: OpenSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const found = tracer()
  return found === undefined ? work(undefined) : inSpanOf(found, describe(), work)
}

async function inSpanOf<Result>(
  provider: Tracer,
  { name, kind = 'internal', parent, attributes = {} }: SpanOptions,
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  const given = parentContext(parent)
  const span = provider.startSpan(name, { kind: kinds[kind], attributes }, given)
  const open = opened(span)
  try {
    return await context.with(trace.setSpan(given, span), () => work(open))
  } catch (error) {
    open.fail()
    throw error
  } finally {
    span.end()
  }
}
