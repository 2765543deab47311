// Fields that read. Each names its resolver once and calls it.
import type { ArgBuilder, InputFieldMap, InputShapeFromFields, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { Resolver } from '../../domain/resolver/resolver.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { builder, type GraphContext, type ObjectFields, type SchemaTypes } from './builder.ts'
import type { usualLength } from './complexity.ts'
import { type ConnectionRef, pageRequestOf, toConnection } from './connection.ts'
import { callOf, type Calling, callTo, type ResolverCall } from './calling.ts'
import { calls } from './calls.ts'
import { selectedOfNodes } from './selection.ts'

type Root = SchemaTypes['Root']

type NoArgs = Record<symbol, never>
type Given<Args extends InputFieldMap> = InputShapeFromFields<Args>

interface FieldOptions<Args extends InputFieldMap> {
  readonly description: string
  /** Names the field that replaces this one. */
  readonly deprecationReason?: string
  readonly args?: (arg: ArgBuilder<SchemaTypes>) => Args
}

/** The value of a field. */
type Value<Type extends TypeParam<SchemaTypes>, Nullable extends boolean = false> = Readonly<
  ShapeFromTypeParam<SchemaTypes, Type, Nullable>
>

/** How a field of an object calls its resolver. */
interface EdgeCalling<Parent, Args, Input extends z.ZodType, Output, None = never> {
  readonly resolver: Resolver<Input, Output>
  /**
   * Returns the resolver's input for the field's parent and arguments. Only maps names; rules belong in the resolver.
   */
  readonly decode: (parent: Parent, args: Args) => z.input<Input> | None
}

interface EdgeOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Nullable extends boolean,
  Args extends InputFieldMap,
> extends FieldOptions<Args> {
  readonly type: Type
  readonly nullable?: Nullable
  /** The cost of a list that is usually shorter or longer than assumed. */
  readonly complexity?: ReturnType<typeof usualLength>
  /** Returns the value if it was read together with the parent. The resolver is not called then. */
  readonly known?: (parent: Parent) => Value<Type, Nullable> | undefined
}

function edgeOptions<Parent, Type extends TypeParam<SchemaTypes>, Nullable extends boolean, Args extends InputFieldMap>(
  arg: ArgBuilder<SchemaTypes>,
  call: ResolverCall<[parent: Parent, args: Given<Args>], Promise<Value<Type, Nullable>> | null>,
  { args, known, ...options }: EdgeOptions<Parent, Type, Nullable, Args>,
) {
  return {
    ...options,
    ...calls(call),
    args: args?.(arg),
    resolve(parent: Parent, given: Given<Args>, { scope }: GraphContext) {
      // The types guarantee the output, but the compiler cannot follow it through the conditional types of Pothos.
      return (known?.(parent) ?? call(scope, parent, given)) as never
    },
  }
}

/** A field of an object. A nullable one is null without a call if `decode` returns null. */
export function edge<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Nullable extends boolean = false,
  Args extends InputFieldMap = NoArgs,
>(
  t: ObjectFields<Parent>,
  {
    resolver,
    decode,
    ...options
  }: EdgeOptions<Parent, Type, Nullable, Args> &
    EdgeCalling<Parent, Given<Args>, Input, Value<Type, Nullable>, Nullable extends true ? null : never>,
) {
  const call = callTo(resolver, (scope, parent: Parent, args: Given<Args>) => {
    const input = decode(parent, args)
    return input === null ? null : resolver(scope, input)
  })
  return t.field(edgeOptions(t.arg, call, options))
}

/** Adds a field to Query. */
export function queryField<
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Nullable extends boolean = false,
  Args extends InputFieldMap = never,
>(name: string, options: EdgeOptions<Root, Type, Nullable, Args> & Calling<Args, Input, Value<Type, Nullable>>): void {
  const call = callOf<Root, Args, Input, Value<Type, Nullable>, Given<Args>>(options)
  builder.queryField(name, (t) => t.field(edgeOptions(t.arg, call, options)))
}

interface ViewOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Nullable extends boolean,
  Args extends InputFieldMap,
  Output,
> extends FieldOptions<Args> {
  readonly type: Type
  readonly nullable?: Nullable
  /** The value of the field, from the resolver's output. */
  readonly view: (output: Output, parent: Parent, args: Given<Args>) => Value<Type, Nullable>
}

function viewOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Nullable extends boolean,
  Args extends InputFieldMap,
  Output,
>(
  arg: ArgBuilder<SchemaTypes>,
  call: ResolverCall<[parent: Parent, args: Given<Args>], Promise<Output>>,
  { args, view, ...options }: ViewOptions<Parent, Type, Nullable, Args, Output>,
) {
  return {
    ...options,
    ...calls(call),
    args: args?.(arg),
    resolve(parent: Parent, given: Given<Args>, { scope }: GraphContext) {
      const read = async () => view(await call(scope, parent, given), parent, given)
      // Like in `edgeOptions`.
      return read() as never
    },
  }
}

/** A field of an object that is computed from the resolver's output. */
export function edgeView<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Output,
  Nullable extends boolean = false,
  Args extends InputFieldMap = NoArgs,
>(
  t: ObjectFields<Parent>,
  {
    resolver,
    decode,
    ...options
  }: ViewOptions<Parent, Type, Nullable, Args, Output> & EdgeCalling<Parent, Given<Args>, Input, Output>,
) {
  const call = callTo(resolver, (scope, parent: Parent, args: Given<Args>) => resolver(scope, decode(parent, args)))
  return t.field(viewOptions(t.arg, call, options))
}

/** Adds a field to Query that is computed from the resolver's output. */
export function queryView<
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Output,
  Args extends InputFieldMap = never,
>(name: string, options: ViewOptions<Root, Type, false, Args, Output> & Calling<Args, Input, Output>): void {
  const call = callOf<Root, Args, Input, Output, Given<Args>>(options)
  builder.queryField(name, (t) => t.field(viewOptions(t.arg, call, options)))
}

/** The field's own arguments, and those of the page. */
type ListArgs<Args extends InputFieldMap> = Given<Args> & { readonly page: PageRequest }

interface ListOptions<Row, Args extends InputFieldMap> extends FieldOptions<Args> {
  readonly connection: ConnectionRef<Row>
}

function listOptions<Parent, Row, Args extends InputFieldMap>(
  arg: ArgBuilder<SchemaTypes>,
  call: ResolverCall<[parent: Parent, args: ListArgs<Args>, selects: (field: string) => boolean], Promise<Page<Row>>>,
  { connection, args, description }: ListOptions<Row, Args>,
) {
  return {
    ...calls(call),
    description,
    type: connection.node,
    args: args?.(arg),
    async resolve(parent: Parent, given: PageRequest & Given<Args>, { scope }: GraphContext, info: GraphQLResolveInfo) {
      const selects = (field: string) => selectedOfNodes(info).has(field)
      return toConnection(await call(scope, parent, { ...given, page: pageRequestOf(given) }, selects))
    },
  }
}

interface EdgeListOptions<Parent, Row, Args extends InputFieldMap, Input extends z.ZodType> extends ListOptions<
  Row,
  Args
> {
  readonly resolver: Resolver<Input, Page<Row>>
  /**
   * Returns the resolver's input, as for other fields.
   *
   * @param selects returns whether the query selects a field of the nodes.
   */
  readonly decode: (parent: Parent, args: ListArgs<Args>, selects: (field: string) => boolean) => z.input<Input>
}

/** A field of an object that returns a page of a list. */
export function edgeList<Parent, Row, Input extends z.ZodType, Args extends InputFieldMap = NoArgs>(
  t: ObjectFields<Parent>,
  options: EdgeListOptions<Parent, Row, Args, Input>,
) {
  const { resolver, decode, connection } = options
  const call = callTo(resolver, (scope, parent: Parent, args: ListArgs<Args>, selects: (field: string) => boolean) =>
    resolver(scope, decode(parent, args, selects)),
  )
  return t.connection(listOptions(t.arg, call, options), connection)
}

/** Adds a field to Query that returns a page of a list. */
export function queryList<Row, Input extends z.ZodType, Args extends InputFieldMap = never>(
  name: string,
  options: ListOptions<Row, Args> & Calling<Args, Input, Page<Row>, ListArgs<Args>>,
): void {
  const call = callOf<Root, Args, Input, Page<Row>, ListArgs<Args>>(options)
  builder.queryField(name, (t) => t.connection(listOptions(t.arg, call, options), options.connection))
}
