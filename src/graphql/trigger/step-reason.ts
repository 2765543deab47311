// The reasons why a step was not sent, and why nothing arrived of a run. Their former fields have the codes as strings.
import { isRunReason, isStepReason, runReasons, stepReasons } from '../../domain/trigger/step-reason.ts'
import type { ObjectFields } from '../schema/builder.ts'
import { codeEnum } from '../schema/code-enum.ts'
import { formerNameOf, replacedBy } from '../schema/former-name.ts'

const StepReason = codeEnum('StepReason', 'The reason why a step was skipped, failed or cancelled.', stepReasons)

export const RunReason = codeEnum(
  'RunReason',
  'The reason why nothing arrived at a recipient: that of the step that decided it, or of the run.',
  runReasons,
)

interface Reasoned {
  readonly reason: string | null
}

/** A code that only a newer version knows has no value in the enum. */
export const runReasonOf = ({ reason }: Reasoned) => (reason !== null && isRunReason(reason) ? reason : null)

/** The options of a field with the code of a reason, which `reasonCode` replaces. */
export const formerReason = {
  nullable: true,
  description: `${formerNameOf('reasonCode')} The code is in lower case. Null if there is none.`,
  deprecationReason: replacedBy('reasonCode'),
} as const

export const runReason = {
  type: RunReason,
  nullable: true,
  description:
    'The reason why nothing arrived: the reason of the step that decided the outcome, or of the run. Null for other runs.',
} as const

/** The fields of a step in a run, with the reason for its status. @param verbs what happened to the step. */
export const stepReasonFields = (t: ObjectFields<Reasoned>, verbs: string) => ({
  reasonCode: t.field({
    type: StepReason,
    nullable: true,
    description: `The reason why the step ${verbs}. Null for other steps.`,
    resolve: ({ reason }) => (reason !== null && isStepReason(reason) ? reason : null),
  }),
  reason: t.exposeString('reason', formerReason),
})

/** The fields of runs that are counted or previewed, with the reason why nothing arrived. */
export const runReasonFields = (t: ObjectFields<Reasoned>) => ({
  reasonCode: t.field({ ...runReason, resolve: runReasonOf }),
  reason: t.exposeString('reason', formerReason),
})
