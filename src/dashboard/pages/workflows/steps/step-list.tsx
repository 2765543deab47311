// The steps of a workflow, in order, with controls that add, move, copy, remove and edit them.
import { Accordion, Stack, Text, VisuallyHidden } from '@mantine/core'
import { use, useState } from 'react'
import { useMovedFocus } from '../../../parts/order/moved-focus.ts'
import type { StepType } from '../../../parts/step-types.ts'
import { Undo } from '../../../parts/undo.tsx'
import { useCanWrite } from '../../../session/session-context.ts'
import { AddStep, NEW_STEP } from './add-step.tsx'
import { StepItem } from './step-item.tsx'
import type { WorkflowForm } from './step-form.ts'
import { copyOfStep, newStep, type StepValues } from '../draft/step-values.ts'

/** The maximum number of steps. */
const MAX_STEPS = 20

/**
 * Returns the position of a step that comes back: before the first of the steps that followed it, even if others were
 * removed or brought back since.
 */
function placeOf(step: StepValues, before: readonly StepValues[], now: readonly StepValues[]): number {
  const followers = before.slice(before.indexOf(step) + 1).map(({ uid }) => uid)
  const place = now.findIndex(({ uid }) => followers.includes(uid))
  return place === -1 ? now.length : place
}

interface StepListProps {
  readonly form: WorkflowForm
  /** The variables of the payload and the subscriber. */
  readonly variables: readonly string[]
  /** The uids of steps whose fields are shown. */
  readonly opened: readonly string[]
  readonly onOpen: (uids: string[]) => void
}

export function StepList({ form, variables, opened, onOpen }: StepListProps) {
  const { steps } = form.values
  const canWrite = useCanWrite()
  const [announcement, announce] = useState('')
  const [list, focusOn] = useMovedFocus<HTMLDivElement>(steps)
  const offerUndo = use(Undo)

  const insert = (type: StepType) => {
    const step = newStep(type, steps)
    form.insertListItem('steps', step)
    onOpen([...opened, step.uid])
  }
  const move = (from: number, to: number) => {
    const step = steps[from]
    if (step === undefined) return
    focusOn(step.uid, to < from ? 'up' : 'down')
    form.reorderListItem('steps', { from, to })
    announce(`Step ${step.stepId} is now number ${to + 1} of ${steps.length}.`)
  }
  const copy = (index: number) => {
    const step = steps[index]
    if (step === undefined) return
    const added = copyOfStep(step, steps)
    form.insertListItem('steps', added, index + 1)
    onOpen([...opened, added.uid])
  }
  const remove = (index: number) => {
    const step = steps[index]
    if (step === undefined) return
    const neighbor = steps[index + 1] ?? steps[index - 1]
    focusOn(neighbor?.uid ?? NEW_STEP, 'remove')
    form.removeListItem('steps', index)
    offerUndo(`Step ${step.stepId} removed.`, () => {
      focusOn(step.uid, 'remove')
      form.insertListItem('steps', step, placeOf(step, steps, form.getValues().steps))
      announce(`Step ${step.stepId} is back.`)
    })
  }
  return (
    <Stack gap="sm" ref={list}>
      <VisuallyHidden aria-live="polite">{announcement}</VisuallyHidden>
      {steps.length === 0 && (
        <Text c="dimmed">
          {canWrite
            ? 'A trigger runs the steps of the workflow in order for each recipient. Add the first one.'
            : 'The workflow has no steps yet.'}
        </Text>
      )}
      <Accordion multiple variant="separated" keepMounted={false} value={[...opened]} onChange={onOpen}>
        {steps.map((step, index) => (
          <StepItem
            key={step.uid}
            form={form}
            index={index}
            step={step}
            count={steps.length}
            variables={variables}
            onMove={(to) => move(index, to)}
            onCopy={() => copy(index)}
            onRemove={() => remove(index)}
          />
        ))}
      </Accordion>
      {canWrite && steps.length < MAX_STEPS && <AddStep onAdd={insert} />}
    </Stack>
  )
}
