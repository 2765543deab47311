// Fields that read. Each names its resolver once and calls it.
import type { ArgBuilder, InputFieldMap, InputShapeFromFields, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { Resolver } from '../../domain/resolver/resolver.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { builder, type GraphContext, type ObjectFields, type SchemaTypes } from './builder.ts'
import type { usualLength } from './complexity.ts'
import { type ConnectionRef, pageRequestOf, toConnection } from './connection.ts'
import { calls } from './calls.ts'
import { selectedOfNodes } from './selection.ts'

type Root = SchemaTypes['Root']
type NoArgs = Record<symbol, never>

interface FieldOptions<Parent, Args extends InputFieldMap, Given, Input> {
  readonly description: string
  readonly args?: (arg: ArgBuilder<SchemaTypes>) => Args
  /** The resolver's input, from the field's parent and arguments. Names only: rules are the resolver's. */
  readonly decode: (parent: Parent, args: Given) => Input
}

interface EdgeOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Nullable extends boolean,
  Args extends InputFieldMap,
  Input extends z.ZodType,
> extends FieldOptions<
  Parent,
  Args,
  InputShapeFromFields<Args>,
  z.input<Input> | (Nullable extends true ? null : never)
> {
  readonly type: Type
  readonly nullable?: Nullable
  /** The cost of a list whose usual length differs from the assumed length. */
  readonly complexity?: ReturnType<typeof usualLength>
  /** The value if the parent was read with it. The resolver is not called then. */
  readonly known?: (parent: Parent) => Readonly<ShapeFromTypeParam<SchemaTypes, Type, Nullable>> | undefined
  readonly resolver: Resolver<Input, Readonly<ShapeFromTypeParam<SchemaTypes, Type, Nullable>>>
}

function edgeOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Nullable extends boolean,
  Args extends InputFieldMap,
>(
  arg: ArgBuilder<SchemaTypes>,
  { args, resolver, decode, known, ...options }: EdgeOptions<Parent, Type, Nullable, Args, Input>,
) {
  return {
    ...options,
    ...calls(resolver),
    args: args?.(arg),
    resolve(parent: Parent, given: InputShapeFromFields<Args>, { scope }: GraphContext) {
      const read = () => {
        const input = decode(parent, given)
        return input === null ? null : resolver(scope, input)
      }
      // `EdgeOptions` has checked the output; the compiler cannot follow it through the conditional types of Pothos.
      return (known?.(parent) ?? read()) as never
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
>(t: ObjectFields<Parent>, options: EdgeOptions<Parent, Type, Nullable, Args, Input>) {
  return t.field(edgeOptions(t.arg, options))
}

/** Adds a field to Query. */
export function queryField<
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Nullable extends boolean = false,
  Args extends InputFieldMap = NoArgs,
>(name: string, options: EdgeOptions<Root, Type, Nullable, Args, Input>): void {
  builder.queryField(name, (t) => t.field(edgeOptions(t.arg, options)))
}

interface ViewOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Args extends InputFieldMap,
  Input extends z.ZodType,
  Output,
> extends FieldOptions<Parent, Args, InputShapeFromFields<Args>, z.input<Input>> {
  readonly type: Type
  readonly resolver: Resolver<Input, Output>
  /** The value of the field, from the resolver's output. */
  readonly view: (
    output: Output,
    parent: Parent,
    args: InputShapeFromFields<Args>,
  ) => Readonly<ShapeFromTypeParam<SchemaTypes, Type, false>>
}

function viewOptions<
  Parent,
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Args extends InputFieldMap,
  Output,
>(
  arg: ArgBuilder<SchemaTypes>,
  { args, resolver, decode, view, ...options }: ViewOptions<Parent, Type, Args, Input, Output>,
) {
  return {
    ...options,
    ...calls(resolver),
    args: args?.(arg),
    resolve(parent: Parent, given: InputShapeFromFields<Args>, { scope }: GraphContext) {
      const read = async () => view(await resolver(scope, decode(parent, given)), parent, given)
      // As in `edgeOptions`.
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
  Args extends InputFieldMap = NoArgs,
>(t: ObjectFields<Parent>, options: ViewOptions<Parent, Type, Args, Input, Output>) {
  return t.field(viewOptions(t.arg, options))
}

/** Adds a field to Query that is computed from the resolver's output. */
export function queryView<
  Type extends TypeParam<SchemaTypes>,
  Input extends z.ZodType,
  Output,
  Args extends InputFieldMap = NoArgs,
>(name: string, options: ViewOptions<Root, Type, Args, Input, Output>): void {
  builder.queryField(name, (t) => t.field(viewOptions(t.arg, options)))
}

/** The field's own arguments, and the page. */
type ListArgs<Args extends InputFieldMap> = InputShapeFromFields<Args> & { readonly page: PageRequest }

interface ListOptions<Parent, Row, Args extends InputFieldMap, Input extends z.ZodType> extends Omit<
  FieldOptions<Parent, Args, ListArgs<Args>, z.input<Input>>,
  'decode'
> {
  /**
   * The resolver's input, as of other fields.
   *
   * @param selects returns whether the query selects a field of the nodes.
   */
  readonly decode: (parent: Parent, args: ListArgs<Args>, selects: (field: string) => boolean) => z.input<Input>
  readonly connection: ConnectionRef<Row>
  readonly resolver: Resolver<Input, Page<Row>>
}

function listOptions<Parent, Row, Input extends z.ZodType, Args extends InputFieldMap>(
  arg: ArgBuilder<SchemaTypes>,
  { connection, args, resolver, decode, description }: ListOptions<Parent, Row, Args, Input>,
) {
  return {
    ...calls(resolver),
    description,
    type: connection.node,
    args: args?.(arg),
    async resolve(
      parent: Parent,
      given: PageRequest & InputShapeFromFields<Args>,
      { scope }: GraphContext,
      info: GraphQLResolveInfo,
    ) {
      const selects = (field: string) => selectedOfNodes(info).has(field)
      return toConnection(await resolver(scope, decode(parent, { ...given, page: pageRequestOf(given) }, selects)))
    },
  }
}

/** A field of an object that returns a page of a list. */
export function edgeList<Parent, Row, Input extends z.ZodType, Args extends InputFieldMap = NoArgs>(
  t: ObjectFields<Parent>,
  options: ListOptions<Parent, Row, Args, Input>,
) {
  return t.connection(listOptions(t.arg, options), options.connection)
}

/** Adds a field to Query that returns a page of a list. */
export function queryList<Row, Input extends z.ZodType, Args extends InputFieldMap = NoArgs>(
  name: string,
  options: ListOptions<Root, Row, Args, Input>,
): void {
  builder.queryField(name, (t) => t.connection(listOptions(t.arg, options), options.connection))
}
