// The buttons that move, copy and remove a step.
import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash, type TablerIcon } from '@tabler/icons-react'
import type { StepValues } from '../draft/step-values.ts'

/** Names the buttons that keep the focus on their step. */
export type StepAct = 'up' | 'down' | 'remove'

interface StepButtonsProps {
  readonly step: StepValues
  readonly index: number
  /** The number of steps. */
  readonly count: number
  readonly onMove: (to: number) => void
  readonly onCopy: () => void
  readonly onRemove: () => void
}

interface StepButtonProps {
  readonly label: string
  readonly icon: TablerIcon
  readonly disabled?: boolean
  readonly onClick: () => void
}

function StepButton({ label, icon: Icon, ...button }: StepButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...button}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

export function StepButtons({ step, index, count, onMove, onCopy, onRemove }: StepButtonsProps) {
  const place = (act: StepAct) => ({ 'data-step': step.uid, 'data-act': act })
  return (
    <Group gap={0} wrap="nowrap" pr="xs">
      <StepButton
        label={`Move ${step.stepId} up`}
        icon={IconArrowUp}
        disabled={index === 0}
        onClick={() => onMove(index - 1)}
        {...place('up')}
      />
      <StepButton
        label={`Move ${step.stepId} down`}
        icon={IconArrowDown}
        disabled={index === count - 1}
        onClick={() => onMove(index + 1)}
        {...place('down')}
      />
      <StepButton label={`Copy ${step.stepId}`} icon={IconCopy} onClick={onCopy} />
      <StepButton label={`Remove ${step.stepId}`} icon={IconTrash} onClick={onRemove} {...place('remove')} />
    </Group>
  )
}
