// The end of a form: the problems that belong to none of its fields, and the submit button.
import { Button, Group } from '@mantine/core'
import type { Problem } from '../../graph/problem.ts'
import { FormProblems } from './form-problems.tsx'

interface FormEndProps {
  readonly problems: readonly Problem[]
  readonly submitLabel: string
  readonly pending: boolean
}

export function FormEnd({ problems, submitLabel, pending }: FormEndProps) {
  return (
    <>
      <FormProblems problems={problems} />
      <Group justify="flex-end">
        <Button type="submit" loading={pending}>
          {submitLabel}
        </Button>
      </Group>
    </>
  )
}
