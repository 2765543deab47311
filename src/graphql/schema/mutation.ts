// Mutations: one input, one payload, and refusals as data.
import type { FieldMap, InputFieldMap, InputShapeFromFields } from '@pothos/core'
import type { z } from 'zod'
import type { Resolver } from '../../domain/resolver.ts'
import { type ErrorKind, type errorKinds, type Issue, Refusal } from '../../lib/errors.ts'
import { builder, type SchemaTypes } from './builder.ts'
import { calls } from './resolver-extension.ts'

const UserErrorCode = builder.enumType('UserErrorCode', {
  description: 'Why a mutation was refused, in a way that the caller can mend.',
  values: {
    BAD_USER_INPUT: { description: 'A field has a value that is not allowed.' },
    NOT_FOUND: { description: 'What the input names does not exist in this environment.' },
    CONFLICT: { description: 'It contradicts what exists, for example an id that is taken.' },
  } as const,
})
type UserErrorCode = typeof UserErrorCode.$inferType

interface UserError {
  readonly code: UserErrorCode
  readonly message: string
  readonly field: readonly string[] | null
}

const UserError = builder.objectRef<UserError>('UserError').implement({
  description: 'A refusal that the caller caused and can mend. Nothing was written.',
  fields: (t) => ({
    code: t.expose('code', { type: UserErrorCode, description: 'The kind of the refusal, for programs.' }),
    message: t.exposeString('message', { description: 'What was wrong and what is allowed, for people.' }),
    field: t.field({
      type: ['String'],
      nullable: true,
      description:
        'The path of the field in the input, list positions as numbers. Null when it is not about one field.',
      resolve: ({ field }) => (field === null ? null : [...field]),
    }),
  }),
})

/** The kinds that a caller can mend by another input; the others are top-level errors. */
const codes: Partial<Record<ErrorKind, UserErrorCode>> = {
  MALFORMED: 'BAD_USER_INPUT',
  INVALID: 'BAD_USER_INPUT',
  NOT_FOUND: 'NOT_FOUND',
  CONFLICT: 'CONFLICT',
} satisfies { [Kind in ErrorKind]?: (typeof errorKinds)[Kind]['code'] }

function userErrorsOf(refusal: Refusal, locate: (path: Issue['path']) => Issue['path']): UserError[] | undefined {
  const code = codes[refusal.kind]
  if (code === undefined) return undefined
  if (refusal.issues.length === 0) return [{ code, message: refusal.message, field: null }]
  return refusal.issues.map(({ path, message }) => ({ code, message, field: locate(path).map(String) }))
}

/** What a payload type is made of. */
interface Payload<Result> {
  /** What the resolver gave; null when it refused. */
  readonly result: Result | null
  readonly userErrors: readonly UserError[]
}

/** What the fields of a payload type are made with. */
export type PayloadFields<Result> = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Payload<Result>>

interface MutationOptions<Fields extends InputFieldMap, Input extends z.ZodType, Result, Shown extends FieldMap> {
  readonly description: string
  /** The fields of `<Name>Input`. */
  readonly input: (t: PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>) => Fields
  /** The fields of `<Name>Payload` beside `userErrors`. Each must be nullable: a refusal has none of them. */
  readonly payload: (t: PayloadFields<Result>) => Shown
  readonly resolver: Resolver<Input, Result>
  /** The resolver's input, out of the mutation's. Names only: rules are the resolver's. */
  readonly decode: (input: InputShapeFromFields<Fields>) => z.input<Input>
  /** Where a field of the resolver's input is in the mutation's; absent where the names are the same. */
  readonly locate?: (path: Issue['path'], input: InputShapeFromFields<Fields>) => Issue['path']
}

/** Adds the mutation `name` with its input and its payload type, both named after it. */
export function mutationField<Fields extends InputFieldMap, Input extends z.ZodType, Result, Shown extends FieldMap>(
  name: string,
  { description, input, resolver, decode, locate, payload }: MutationOptions<Fields, Input, Result, Shown>,
): void {
  const typeName = name.charAt(0).toUpperCase() + name.slice(1)
  const inputRef = builder.inputType(`${typeName}Input`, {
    description: `The input of \`${name}\`.`,
    fields: input,
  })
  const payloadRef = builder.objectRef<Payload<Result>>(`${typeName}Payload`).implement({
    description: `The outcome of \`${name}\`.`,
    fields: (t) => ({
      ...payload(t),
      userErrors: t.field({
        type: [UserError],
        description: 'Why it was refused. Empty when it was done.',
        resolve: ({ userErrors }) => [...userErrors],
      }),
    }),
  })
  builder.mutationField(name, (t) =>
    t.field({
      ...calls(resolver),
      type: payloadRef,
      description,
      args: { input: t.arg({ type: inputRef, required: true, description: 'What to do, and to what.' }) },
      async resolve(_root, args, { scope }) {
        // The compiler does not look through the generic to see that inputRef has the shape of its own fields.
        const { input } = args as unknown as { input: InputShapeFromFields<Fields> }
        try {
          return { result: await resolver(scope, decode(input)), userErrors: [] }
        } catch (error) {
          const userErrors =
            error instanceof Refusal ? userErrorsOf(error, (path) => locate?.(path, input) ?? path) : undefined
          if (userErrors === undefined) throw error
          return { result: null, userErrors }
        }
      },
    }),
  )
}
