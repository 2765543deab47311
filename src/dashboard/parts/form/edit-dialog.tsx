// The dialog that edits an object. If somebody else saves the object meanwhile, it shows both versions to choose from.
import { type ReactNode, useState } from 'react'
import { isStale, type Problem } from '../../graph/problem.ts'
import { usePending } from '../pending.ts'
import { showProblems } from '../messages.ts'
import { differencesOf, EditConflict, type Shown } from './edit-conflict.tsx'
import { FormDialog } from './form-dialog.tsx'

/** The properties that the form in the dialog takes. */
export interface EditedForm<Values> {
  readonly initial: Values
  readonly submitLabel: string
  readonly pending: boolean
  readonly onSubmit: (values: Values) => Promise<readonly Problem[]>
}

interface EditDialogProps<Stored extends { readonly version: number }, Values extends object> {
  readonly title: string
  readonly size?: 'lg'
  /** What is edited, such as `topic news`. */
  readonly what: string
  /** The object when the dialog was opened. A later one does not replace it. */
  readonly stored: Stored
  readonly valuesOf: (stored: Stored) => Values
  /** The fields of the form, for a comparison. */
  readonly labels: Readonly<Partial<Record<keyof Values & string, string>>>
  /** Returns the values as the comparison may show them, without secrets. */
  readonly shown?: (values: Values) => Shown<Values>
  /** Saves the values if the object still has the version of `on`. @returns the problems. */
  readonly save: (values: Values, on: Stored) => Promise<readonly Problem[]>
  /** Reads the present object. */
  readonly read: () => Promise<Stored | null | undefined>
  readonly onClose: () => void
  readonly children: (form: EditedForm<Values>, stored: Stored) => ReactNode
}

export function EditDialog<Stored extends { readonly version: number }, Values extends object>(
  props: EditDialogProps<Stored, Values>,
) {
  const { title, size, what, stored, valuesOf, labels, shown, save, read, onClose, children } = props
  const [base, setBase] = useState(stored)
  const [conflict, setConflict] = useState<{ readonly theirs: Stored; readonly mine: Values } | null>(null)
  const [pending, during] = usePending()
  const seen = (values: Values): Shown<Values> => shown?.(values) ?? values

  const send = async (mine: Values, on: Stored): Promise<readonly Problem[]> => {
    const problems = await save(mine, on)
    if (problems.length === 0) onClose()
    if (!isStale(problems)) return problems
    const theirs = await read()
    if (!theirs) return problems
    setConflict({ theirs, mine })
    return []
  }
  const overwrite = (theirs: Stored, mine: Values) =>
    during(async () => {
      setConflict(null)
      const problems = await send(mine, theirs)
      if (problems.length > 0) showProblems(problems)
    })
  const submit = async (mine: Values) => {
    let problems: readonly Problem[] = []
    await during(async () => {
      problems = await send(mine, base)
    })
    return problems
  }
  return (
    <FormDialog onClose={onClose} title={title} {...(size && { size })}>
      <div key={base.version}>
        {children({ initial: valuesOf(base), submitLabel: 'Save', pending, onSubmit: submit }, base)}
      </div>
      {conflict && (
        <EditConflict
          what={what}
          differences={differencesOf(labels, seen(valuesOf(conflict.theirs)), seen(conflict.mine))}
          pending={pending}
          onLoad={() => {
            setBase(conflict.theirs)
            setConflict(null)
          }}
          onOverwrite={() => void overwrite(conflict.theirs, conflict.mine)}
          onClose={() => setConflict(null)}
        />
      )}
    </FormDialog>
  )
}
