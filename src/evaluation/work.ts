// The kinds of code from callers that are evaluated, each with its function. Runs in a thread or, if cheap, on the
// event loop.
import type { Issue } from '../lib/errors.ts'
import type { Json, JsonObject } from '../lib/validation.ts'
import { holds } from './condition.ts'
import { type ErasedRow, type RowWithoutPersons, withoutPersons } from './erasure.ts'
import { textOfHtml } from './html-text.ts'
import { schemaObjections, validated, type Validated } from './json-schema.ts'
import {
  render,
  type RenderLimits,
  type Template,
  templateObjection,
  type TemplateObjection,
  type TemplateVariable,
  templateVariables,
} from './template.ts'

/** Templates by name. They are one item: either all are rendered, or none. */
export type Templates = Readonly<Record<string, Template>>

/** The item and the result of each kind. */
export interface Kinds {
  readonly render: {
    readonly input: { readonly templates: Templates; readonly variables: JsonObject }
    readonly output: Readonly<Record<string, string>>
  }
  readonly condition: {
    readonly input: { readonly rule: JsonObject; readonly variables: JsonObject }
    readonly output: boolean
  }
  /** Returns why a text is not a valid template. */
  readonly template: { readonly input: string; readonly output: TemplateObjection | undefined }
  /** Returns the variables that a template reads. */
  readonly variables: { readonly input: string; readonly output: readonly TemplateVariable[] }
  /** Returns why a JSON Schema cannot be used. */
  readonly schema: { readonly input: JsonObject; readonly output: readonly Issue[] }
  /** Returns the violations of a schema, and the value with its defaults. */
  readonly validation: {
    readonly input: { readonly schema: JsonObject; readonly value: Json }
    readonly output: Validated
  }
  readonly htmlText: { readonly input: string; readonly output: string }
  /** Replaces the names of persons in the columns of a row. */
  readonly erasure: { readonly input: ErasedRow; readonly output: RowWithoutPersons }
}

export type Kind = keyof Kinds
export type Input<Name extends Kind> = Kinds[Name]['input']
export type Output<Name extends Kind> = Kinds[Name]['output']

type Evaluate<Name extends Kind> = (input: Input<Name>, limits?: RenderLimits) => Output<Name>

const functions: { readonly [Name in Kind]: Evaluate<Name> } = {
  render: ({ templates, variables }, limits) =>
    Object.fromEntries(
      Object.entries(templates).map(([name, template]) => [name, render(template, variables, limits)]),
    ),
  condition: ({ rule, variables }) => holds(rule, variables),
  template: templateObjection,
  variables: templateVariables,
  schema: schemaObjections,
  validation: ({ schema, value }) => validated(schema, value),
  htmlText: textOfHtml,
  erasure: withoutPersons,
}

export const kinds = Object.keys(functions) as readonly Kind[]

/** @throws Error if the item cannot be evaluated. */
export function evaluateItem<Name extends Kind>(kind: Name, input: Input<Name>, limits?: RenderLimits): Output<Name> {
  const evaluate: Evaluate<Name> = functions[kind]
  return evaluate(input, limits)
}

/** Why an item has no value: its own error, or the time or memory limit that stopped it. */
export interface Failure {
  readonly status: 'failed'
  readonly cause: 'error' | 'time' | 'memory'
  /** The error. Empty if a limit stopped it. */
  readonly message: string
}

export type Evaluated<Value> =
  | { readonly status: 'done'; readonly value: Value }
  | Failure
  /** The budget was used up before the item started. It may be evaluated later. */
  | { readonly status: 'deferred' }

/** Returns the sentence about a failure. `subject` is the evaluated part, such as "The template of step x". */
export function explain(subject: string, { cause, message }: Failure): string {
  if (cause === 'time') return `${subject} took too long.`
  if (cause === 'memory') return `${subject} used too much memory.`
  return `${subject} could not be evaluated: ${message}`
}

/** Returns the failure of an item that threw. */
export function failureOf(error: unknown): Failure {
  const isMemory = error instanceof RangeError && /Invalid (string|array) length/.test(error.message)
  if (isMemory) return { status: 'failed', cause: 'memory', message: '' }
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : 'it failed'
  return { status: 'failed', cause: 'error', message: message.slice(0, 300) }
}
