// The steps of a workflow, in order, with controls that add, move, copy, remove and edit them.
import { Accordion, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { StepType } from '../../../parts/step-types.ts'
import { useCanWrite } from '../../../session/session-context.ts'
import { AddStep } from './add-step.tsx'
import { StepItem } from './step-item.tsx'
import type { WorkflowForm } from './step-form.ts'
import { copyOfStep, newStep } from '../draft/step-values.ts'

/** The maximum number of steps. */
const MAX_STEPS = 20

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
  const list = useRef<HTMLDivElement>(null)
  /** The button that keeps the focus while its step moves. */
  const focused = useRef<string>(undefined)

  useEffect(() => {
    if (focused.current === undefined) return
    const [uid, direction] = focused.current.split(' ')
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(`[data-move="${uid ?? ''}"]:not(:disabled)`) ?? []
    const same = [...buttons].find(({ dataset }) => dataset['direction'] === direction)
    ;(same ?? buttons[0])?.focus()
    focused.current = undefined
  }, [steps])

  const insert = (type: StepType) => {
    const step = newStep(type, steps)
    form.insertListItem('steps', step)
    onOpen([...opened, step.uid])
  }
  const move = (from: number, to: number) => {
    const step = steps[from]
    if (step === undefined) return
    focused.current = `${step.uid} ${to < from ? 'up' : 'down'}`
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
          />
        ))}
      </Accordion>
      {canWrite && steps.length < MAX_STEPS && <AddStep onAdd={insert} />}
    </Stack>
  )
}
