// The log: JSON lines of a bounded size. Of errors, they contain only what describes the problem.
import { type DestinationStream, type LevelWithSilentOrString, type Logger, pino } from 'pino'
import { z } from 'zod'
import { shorten } from './shorten.ts'

/** Maximum size of a line in bytes, including the line feed. */
const MAX_LINE = 4_000

/**
 * Maximum characters of each part of an error. Together with the parts of its cause, they leave space for other fields.
 */
const MAX_TEXT = { message: 500, stack: 1_200, code: 50 } as const

/** Maximum number of causes that are logged with an error. */
const MAX_CAUSES = 2

/**
 * For lines that are too long: maximum characters of a text, and elements of a list or object, in ever stricter
 * attempts.
 */
const SHORTER = [
  { text: 500, elements: 20 },
  { text: 150, elements: 10 },
  { text: 50, elements: 5 },
] as const

const lineFields = z.record(z.string(), z.unknown())

/** Decides whether to leave out a line. @param error the field `err` of the line. */
export type Absorb = (error: unknown, fields: object, message: string) => boolean

const absorbers = new WeakMap<object, Absorb>()

/**
 * The properties of an error that may be logged. Others may contain clients with their passwords, statements, or row
 * values.
 */
function described(error: unknown, causes: number = MAX_CAUSES): unknown {
  if (!(error instanceof Error)) return shorten(String(error), MAX_TEXT.message)
  const { name, message, stack = '', cause } = error
  return {
    type: name,
    message: shorten(message, MAX_TEXT.message),
    ...('code' in error && typeof error.code === 'string' && { code: shorten(error.code, MAX_TEXT.code) }),
    stack: shorten(stack, MAX_TEXT.stack),
    ...(cause !== undefined && causes > 0 && { cause: described(cause, causes - 1) }),
    ...(error instanceof AggregateError &&
      causes > 0 && { errors: error.errors.slice(0, 2).map((one) => described(one, 0)) }),
  }
}

function shortened(value: unknown, most: (typeof SHORTER)[number]): unknown {
  if (typeof value === 'string') return shorten(value, most.text)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, most.elements).map((element) => shortened(element, most))
  const entries = Object.entries(value).slice(0, most.elements)
  return Object.fromEntries(entries.map(([key, element]) => [shorten(key, most.text), shortened(element, most)]))
}

/** A line of at most `MAX_LINE` bytes. A shortened line has the field `shortened`. */
function boundedLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE) return line
  const { msg, ...fields } = lineFields.parse(JSON.parse(line))
  for (const most of SHORTER) {
    const shorter = `${JSON.stringify({ ...Object(shortened(fields, most)), shortened: true, msg: shortened(msg, most) })}\n`
    if (Buffer.byteLength(shorter) <= MAX_LINE) return shorter
  }
  const { level, time } = fields
  return `${JSON.stringify({ level, time, shortened: true, msg: shortened(msg, SHORTER[2]) })}\n`
}

/**
 * Creates the log of the process.
 *
 * @param destination where the lines are written. Default: standard output.
 */
export function createLogger(level: LevelWithSilentOrString, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      serializers: { err: (error: unknown) => described(error), providerError: (error: unknown) => described(error) },
      hooks: {
        logMethod(words, method) {
          const absorb = absorbers.get(this)
          const [fields, message]: unknown[] = words
          if (absorb && typeof fields === 'object' && fields !== null && 'err' in fields) {
            if (absorb(fields.err, fields, String(message))) return
          }
          method.apply(this, words)
        },
        streamWrite: boundedLine,
      },
    },
    destination ?? pino.destination(1),
  )
}

/**
 * A child of a logger that leaves out the lines `absorb` takes over. Has no effect on a logger that `createLogger` did
 * not create.
 */
export function absorbing(logger: Logger, absorb: Absorb): Logger {
  const part = logger.child({})
  absorbers.set(part, absorb)
  return part
}
