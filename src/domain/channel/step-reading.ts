// How the fields of a step are parsed: from a request or from storage.
import type { z } from 'zod'
import type { JsonObject } from '../../lib/validation.ts'

export interface StepReading {
  /** A template of at most `max` characters. */
  readonly template: (max: number) => z.ZodType<string, string>
  /** An optional field, stored as null if absent. */
  readonly optional: <Schema extends z.ZodType>(schema: Schema) => z.ZodType<z.output<Schema> | null>
  /** An optional field, stored as `otherwise` if absent. */
  readonly or: <Value>(schema: z.ZodType<Value>, otherwise: Value) => z.ZodType<Value>
  /** The same for a field that stored steps of earlier versions lack. */
  readonly added: <Value>(schema: z.ZodType<Value>, otherwise: Value) => z.ZodType<Value | undefined>
  /** Custom data. */
  readonly data: z.ZodType<JsonObject>
}
