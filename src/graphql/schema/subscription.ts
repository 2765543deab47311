// Fields of Subscription. Each names its resolver once and calls it.
import type { ArgBuilder, InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core'
import type { z } from 'zod'
import { builder, type GraphContext, type SchemaTypes } from './builder.ts'
import { callOf, type Calling } from './calling.ts'
import { calls } from './calls.ts'

interface SubscriptionOptions<Item, Args extends InputFieldMap> {
  readonly description: string
  readonly type: ObjectRef<SchemaTypes, Item>
  readonly args: (arg: ArgBuilder<SchemaTypes>) => Args
}

/** Adds a field to Subscription, with the stream that its resolver returns. The field ends with that stream. */
export function subscriptionField<Item, Input extends z.ZodType, Args extends InputFieldMap = never>(
  name: string,
  options: SubscriptionOptions<Item, Args> & Calling<Args, Input, AsyncIterable<Item>>,
): void {
  const { description, type, args } = options
  const call = callOf<unknown, Args, Input, AsyncIterable<Item>, InputShapeFromFields<Args>>(options)
  builder.subscriptionField(name, (t) =>
    t.field({
      description,
      type,
      ...calls(call),
      args: args(t.arg),
      subscribe: (root: unknown, given: InputShapeFromFields<Args>, { scope }: GraphContext) =>
        call(scope, root, given),
      // `SubscriptionOptions` ensures the item; the compiler cannot follow it through the types of Pothos.
      resolve: (item: Item) => item as never,
    }),
  )
}
