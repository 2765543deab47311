// The form of a dialog. Its changes are protected until it has sent them.
import { Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useRef } from 'react'
import { useUnsaved } from './unsaved.ts'

interface DialogFormProps<Values extends object> {
  readonly form: Pick<UseFormReturnType<Values>, 'onSubmit' | 'isDirty'>
  /** Sends the values. May close the dialog or leave the page without a question. */
  readonly onSubmit: (values: Values) => Promise<void>
  readonly children: ReactNode
}

export function DialogForm<Values extends object>({ form, onSubmit, children }: DialogFormProps<Values>) {
  const sending = useRef(false)
  useUnsaved(() => !sending.current && form.isDirty())
  const send = async (values: Values) => {
    sending.current = true
    try {
      await onSubmit(values)
    } finally {
      sending.current = false
    }
  }
  return (
    <form onSubmit={(event) => form.onSubmit(send)(event)}>
      <Stack>{children}</Stack>
    </form>
  )
}
