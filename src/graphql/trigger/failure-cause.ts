// The causes of failed messages in the graph.
import { type FailureCause as Cause, failureCauses, isFailureCause } from '../../domain/channel/failure-cause.ts'
import { builder, type ObjectFields } from '../schema/builder.ts'

const causes = Object.entries(failureCauses).map(([value, description]) => [
  value.toUpperCase(),
  { value, description },
])

export const FailureCause = builder.enumType('FailureCause', {
  description:
    'Why a message failed, by what has to change: the set-up of the environment, the recipient, the provider or the gateway.',
  values: Object.fromEntries(causes) as Record<Uppercase<Cause>, { value: Cause; description: string }>,
})

/** The field of an object that has a cause. @param failed what fails, as in "Null if the message did not fail". */
export const causeField = (t: ObjectFields<{ readonly cause: string | null }>, failed: string) =>
  t.field({
    type: FailureCause,
    nullable: true,
    description: `The cause of the failure. Null if ${failed} did not fail, or failed before causes were stored.`,
    resolve: ({ cause }) => (cause !== null && isFailureCause(cause) ? cause : null),
  })
