// The buttons that move, copy and remove a step.
import { Group } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react'
import { IconAct } from '../../../parts/order/icon-act.tsx'
import { itemButton } from '../../../parts/order/moved-focus.ts'
import type { StepValues } from '../draft/step-values.ts'

/** Names the buttons that keep the focus on their step. */
type StepAct = 'up' | 'down' | 'remove'

interface StepButtonsProps {
  readonly step: StepValues
  readonly index: number
  /** The number of steps. */
  readonly count: number
  readonly onMove: (to: number) => void
  readonly onCopy: () => void
  readonly onRemove: () => void
}

export function StepButtons({ step, index, count, onMove, onCopy, onRemove }: StepButtonsProps) {
  const place = (act: StepAct) => itemButton(step.uid, act)
  return (
    <Group gap={0} wrap="nowrap" pr="xs">
      <IconAct
        label={`Move ${step.stepId} up`}
        icon={IconArrowUp}
        disabled={index === 0}
        onClick={() => onMove(index - 1)}
        {...place('up')}
      />
      <IconAct
        label={`Move ${step.stepId} down`}
        icon={IconArrowDown}
        disabled={index === count - 1}
        onClick={() => onMove(index + 1)}
        {...place('down')}
      />
      <IconAct label={`Copy ${step.stepId}`} icon={IconCopy} onClick={onCopy} />
      <IconAct label={`Remove ${step.stepId}`} icon={IconTrash} onClick={onRemove} {...place('remove')} />
    </Group>
  )
}
