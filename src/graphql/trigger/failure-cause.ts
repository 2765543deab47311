// The causes of failed messages in the graph.
import { failureCauses, isFailureCause } from '../../domain/channel/failure-cause.ts'
import type { ObjectFields } from '../schema/builder.ts'
import { codeEnum } from '../schema/code-enum.ts'

export const FailureCause = codeEnum(
  'FailureCause',
  'Why a message failed, by what has to change: the set-up of the environment, the recipient, the provider or the gateway.',
  failureCauses,
)

/** The field of an object that has a cause. @param failed what fails, as in "Null if the message did not fail". */
export const causeField = (t: ObjectFields<{ readonly cause: string | null }>, failed: string) =>
  t.field({
    type: FailureCause,
    nullable: true,
    description: `The cause of the failure. Null if ${failed} did not fail, or failed before causes were stored.`,
    resolve: ({ cause }) => (cause !== null && isFailureCause(cause) ? cause : null),
  })
