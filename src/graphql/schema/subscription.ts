// Fields of Subscription. Each names its resolver once and calls it.
import type { ArgBuilder, InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core'
import type { z } from 'zod'
import type { Resolver } from '../../domain/resolver/resolver.ts'
import { builder, type GraphContext, type SchemaTypes } from './builder.ts'
import { calls } from './calls.ts'

interface SubscriptionOptions<Item, Args extends InputFieldMap, Input extends z.ZodType> {
  readonly description: string
  readonly type: ObjectRef<SchemaTypes, Item>
  readonly args: (arg: ArgBuilder<SchemaTypes>) => Args
  /** Returns the stream. Its end is the end of the subscription. */
  readonly resolver: Resolver<Input, AsyncIterable<Item>>
  /** The resolver's input, from the field's arguments. Names only: rules are the resolver's. */
  readonly decode: (args: InputShapeFromFields<Args>) => z.input<Input>
}

/** Adds a field to Subscription: a stream of objects. */
export function subscriptionField<Item, Input extends z.ZodType, Args extends InputFieldMap>(
  name: string,
  { args, resolver, decode, ...options }: SubscriptionOptions<Item, Args, Input>,
): void {
  builder.subscriptionField(name, (t) =>
    t.field({
      ...options,
      ...calls(resolver),
      args: args(t.arg),
      subscribe: (_root: unknown, given: InputShapeFromFields<Args>, { scope }: GraphContext) =>
        resolver(scope, decode(given)),
      // `SubscriptionOptions` has checked the item; the compiler cannot follow it through the types of Pothos.
      resolve: (item: Item) => item as never,
    }),
  )
}
