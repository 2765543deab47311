// Mutations: one input, one payload, and errors that the caller can correct as data.
import type {
  FieldMap,
  InputFieldMap,
  InputShapeFromFields,
  ObjectRef,
  ShapeFromTypeParam,
  TypeParam,
} from '@pothos/core'
import type { z } from 'zod'
import { type ErrorKind, errorKinds, type Issue, type IssueReason, Refusal } from '../../lib/errors.ts'
import { reportRejection } from '../../domain/resolver/resolver.ts'
import { present } from '../../lib/present.ts'
import { fieldName } from '../../lib/validation.ts'
import { builder, type InputFields, type ObjectFields, type SchemaTypes } from './builder.ts'
import { encodeNodeId } from './node-id.ts'
import { callOf, type Calling } from './calling.ts'
import { calls } from './calls.ts'
import { nullIfFailed, wordsOf } from './wording.ts'

/** The position of an error in the text of a field. */
export const positionFields = (t: ObjectFields<Pick<Issue, 'line' | 'column'>>) => ({
  line: t.int({
    nullable: true,
    description: 'The line of the template with the error, starting at 1. Null for other errors.',
    resolve: ({ line }) => line ?? null,
  }),
  column: t.int({
    nullable: true,
    description: 'The column of the error in that line, starting at 1. Null for other errors.',
    resolve: ({ column }) => column ?? null,
  }),
})

const UserErrorCode = builder.enumType('UserErrorCode', {
  description: 'The kind of an error that the caller can correct.',
  values: {
    BAD_USER_INPUT: { description: 'A field has an invalid value.' },
    NOT_FOUND: { description: "An object that the input names does not exist in the caller's environment." },
    CONFLICT: {
      description:
        'The change conflicts with existing data, such as an identifier that is already taken or a version that is not the expected one.',
    },
  } as const,
})
type UserErrorCode = typeof UserErrorCode.$inferType

type UserErrorReasonCode = IssueReason | 'invalid' | 'not_found' | 'stale' | 'not_possible'

export const UserErrorReason = builder.enumType('UserErrorReason', {
  description: 'What is wrong with the input. Other values may be added.',
  values: {
    REQUIRED: { value: 'required', description: 'A required field is missing.' },
    UNKNOWN_FIELD: { value: 'unknown_field', description: 'A field does not exist.' },
    TOO_LONG: { value: 'too_long', description: 'A text has too many characters.' },
    TOO_SHORT: { value: 'too_short', description: 'A text has too few characters.' },
    TOO_MANY: { value: 'too_many', description: 'A list has too many items.' },
    TOO_FEW: { value: 'too_few', description: 'A list has too few items.' },
    OUT_OF_RANGE: { value: 'out_of_range', description: 'A number or a time is too small or too large.' },
    INVALID: { value: 'invalid', description: 'A value is invalid in another way. `message` says what is allowed.' },
    NOT_FOUND: {
      value: 'not_found',
      description: "An object that the input names does not exist in the caller's environment.",
    },
    TAKEN: { value: 'taken', description: 'Another object has the identifier, key or name.' },
    STALE: { value: 'stale', description: 'The object has another version than the expected one.' },
    NOT_POSSIBLE: {
      value: 'not_possible',
      description: 'The state of an object does not allow the change. `message` says why.',
    },
  } as const satisfies Record<string, { value: UserErrorReasonCode; description: string }>,
})

interface UserError {
  readonly code: UserErrorCode
  readonly reason: UserErrorReasonCode
  readonly message: string
  readonly field: readonly string[] | null
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** An error that the caller can correct. */
export const UserError = builder.objectRef<UserError>('UserError').implement({
  description: 'An error that the caller can correct. Nothing was written.',
  fields: (t) => ({
    code: t.expose('code', { type: UserErrorCode, description: 'The machine-readable kind of the error.' }),
    reason: t.expose('reason', { type: UserErrorReason, description: 'What is wrong, in more detail than `code`.' }),
    message: t.exposeString('message', { description: 'The problem and the allowed values, as a sentence.' }),
    field: t.expose('field', {
      type: t.listRef('String'),
      nullable: true,
      description:
        'The path of the field in the input, with list positions as numbers. Null if the error is not about one field.',
    }),
    ...positionFields(t),
  }),
})

/**
 * The kinds of errors that the caller can correct by changing the input, with the reason unless the issue has one. All
 * others are top-level errors.
 */
const codes: Partial<Record<ErrorKind, Pick<UserError, 'code' | 'reason'>>> = {
  MALFORMED: { code: 'BAD_USER_INPUT', reason: 'invalid' },
  INVALID: { code: 'BAD_USER_INPUT', reason: 'invalid' },
  NOT_FOUND: { code: 'NOT_FOUND', reason: 'not_found' },
  CONFLICT: { code: 'CONFLICT', reason: 'not_possible' },
  STALE: { code: 'CONFLICT', reason: 'stale' },
} satisfies { [Kind in ErrorKind]?: { code: (typeof errorKinds)[Kind]['code']; reason: UserErrorReasonCode } }

/** Returns a message that begins with a field of the resolver's input, with the mutation's name of the field. */
function messageAt(message: string, from: Issue['path'], to: Issue['path']): string {
  const field = fieldName(from)
  const isRenamed = from.length === to.length && message.startsWith(`${field} `)
  return isRenamed ? `${fieldName(to)}${message.slice(field.length)}` : message
}

/** The refusal in the words of the mutation. */
export function located(
  { kind, message, issues, ctx, retryAfter }: Refusal,
  locate: (path: Issue['path']) => Issue['path'],
) {
  const found = issues.map((issue) => {
    const path = locate(issue.path)
    return { ...issue, path, message: messageAt(issue.message, issue.path, path) }
  })
  return new Refusal(kind, message, { issues: found, ...present({ ctx, retryAfter }) })
}

/** The errors of a refusal that the caller can correct. Undefined for other kinds. */
export function userErrorsOf(refusal: Refusal): UserError[] | undefined {
  const coded = codes[refusal.kind]
  if (coded === undefined) return undefined
  if (refusal.issues.length === 0) return [{ ...coded, message: refusal.message, field: null }]
  return refusal.issues.map(({ path, reason = coded.reason, ...issue }) => ({
    ...issue,
    code: coded.code,
    reason,
    field: path.map(String),
  }))
}

/** The source of a payload type. */
interface Payload<Result> {
  /** The resolver's result. Null if it failed. */
  readonly result: Result | null
  readonly userErrors: readonly UserError[]
}

/** The fields of a payload type while they are being defined. */
export type PayloadFields<Result> = ObjectFields<Payload<Result>>

/** A field of a payload type. It must be nullable, because it is null if the mutation failed. */
type PayloadField<Result> = (t: PayloadFields<Result>) => PothosSchemaTypes.FieldRef<SchemaTypes>

/** A payload field with a part of the result. Its description ends with `nullIfFailed`. */
export function part<Result, Type extends TypeParam<SchemaTypes>>(
  t: PayloadFields<Result>,
  type: Type,
  description: string,
  read: (result: Result) => Readonly<ShapeFromTypeParam<SchemaTypes, Type, true>>,
  deprecation: { readonly deprecationReason?: string } = {},
) {
  return t.field({
    type,
    ...deprecation,
    nullable: true,
    description: `${description} ${nullIfFailed}`,
    // The compiler cannot follow `read` through the conditional types of Pothos.
    resolve: ({ result }) => (result === null ? null : read(result)) as never,
  })
}

/** The payload field with the node id of the deleted object of a type. */
export function deletedId({ name }: { readonly name: string }): PayloadField<{ readonly id: string }> {
  return (t) => part(t, 'ID', 'The node id of the deleted object.', ({ id }) => encodeNodeId(name, id))
}

/** The payload field with the whole result. */
function whole<Result>(type: ObjectRef<SchemaTypes, Result>): PayloadField<Result> {
  return (t) => part(t, type, `The ${wordsOf(type.name)}.`, (result) => result)
}

interface MutationOptions<Fields extends InputFieldMap, Row, Result extends Row> {
  readonly description: string
  /** The fields of `<Name>Input`. */
  readonly input: (t: InputFields) => Fields
  /** The fields of `<Name>Payload` other than `userErrors`. A type alone represents the whole result. */
  readonly payload:
    | Readonly<Record<string, ObjectRef<SchemaTypes, Row> | PayloadField<Result>>>
    | ((t: PayloadFields<Result>) => FieldMap)
  /** Maps a path in the resolver's input to the mutation's. Absent if they are the same. */
  readonly locate?: (path: Issue['path'], input: InputShapeFromFields<Fields>) => Issue['path']
  /** Returns the result with the refusals of single items in the words of the mutation. Absent if there are none. */
  readonly word?: (result: Result, input: InputShapeFromFields<Fields>) => Result
  /** Returns the rejected items of a result, which leave traces. Absent if there are none. */
  readonly rejections?: (result: Result, input: InputShapeFromFields<Fields>) => readonly Rejection[]
}

/** An item that was rejected alone. */
interface Rejection {
  /** The item, as the caller sent it. */
  readonly given: unknown
  /** In the words of the mutation. */
  readonly refusal: Refusal
}

/** Adds the mutation `name`, with its input type and its payload type. */
export function mutationField<Input extends z.ZodType, Row, Result extends Row, Fields extends InputFieldMap = never>(
  name: string,
  options: MutationOptions<Fields, Row, Result> & Calling<Fields, Input, Result>,
): void {
  const { description, input, locate, payload } = options
  const call = callOf<unknown, Fields, Input, Result, InputShapeFromFields<Fields>>(options)
  const typeName = name.charAt(0).toUpperCase() + name.slice(1)
  const inputRef = builder.inputType(`${typeName}Input`, {
    description: `Input of \`${name}\`.`,
    fields: input,
  })
  const payloadRef = builder.objectRef<Payload<Result>>(`${typeName}Payload`).implement({
    description: `Result of \`${name}\`.`,
    fields: (t) => ({
      ...(typeof payload === 'function'
        ? payload(t)
        : Object.fromEntries(
            Object.entries(payload).map(([name, field]) => [
              name,
              typeof field === 'function' ? field(t) : whole(field)(t),
            ]),
          )),
      userErrors: t.expose('userErrors', {
        type: t.listRef(UserError),
        description: 'Errors that the caller can correct. Empty on success.',
      }),
    }),
  })
  builder.mutationField(name, (t) =>
    t.field({
      ...calls(call),
      type: payloadRef,
      description,
      args: { input: t.arg({ type: inputRef, required: true, description: "The mutation's input." }) },
      async resolve(root, args, { scope }) {
        // The compiler cannot tell that inputRef has the shape of its own fields.
        const { input } = args as unknown as { input: InputShapeFromFields<Fields> }
        try {
          const called = await call(scope, root, input)
          const result = options.word?.(called, input) ?? called
          for (const { given, refusal } of options.rejections?.(result, input) ?? []) {
            reportRejection(scope, options.resolver, given, refusal)
          }
          return { result, userErrors: [] }
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          const refusal = located(error, (path) => locate?.(path, input) ?? path)
          reportRejection(scope, options.resolver, input, refusal)
          const userErrors = userErrorsOf(refusal)
          if (userErrors === undefined) throw error
          scope.metrics.rejected('graphql', errorKinds[error.kind].code)
          return { result: null, userErrors }
        }
      },
    }),
  )
}
