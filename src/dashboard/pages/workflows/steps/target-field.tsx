// Where a link of an in-app step opens.
import { NativeSelect } from '@mantine/core'
import type { LinkTarget } from '../draft/step-values.ts'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'

const labels = {
  SELF: 'Same tab',
  BLANK: 'New tab',
  PARENT: 'Parent frame',
  TOP: 'Top frame',
  UNFENCED_TOP: 'Top frame, out of fenced frames',
} as const satisfies Record<LinkTarget, string>

const isTarget = (value: string): value is LinkTarget => Object.hasOwn(labels, value)

/** The value of no choice. */
const NONE = ''

const data = [
  { value: NONE, label: 'As the application decides' },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
]

interface TargetFieldProps extends Pick<StepFieldsProps, 'form'> {
  /** The path of the field in the form. */
  readonly path: `steps.${number}.target` | `steps.${number}.actions.${number}.target`
  readonly value: LinkTarget | null | undefined
}

export function TargetField({ form, path, value }: TargetFieldProps) {
  return (
    <NativeSelect
      label={fieldLabels.target}
      data={data}
      value={value ?? NONE}
      onChange={({ currentTarget }) =>
        form.setFieldValue(path, isTarget(currentTarget.value) ? currentTarget.value : null)
      }
      error={useFieldError(form)(path)}
    />
  )
}
