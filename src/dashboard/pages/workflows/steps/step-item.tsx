// One step in the list: its summary, the buttons that move, copy and remove it, and its fields.
import { Accordion, Fieldset, Group, Stack, Text, ThemeIcon } from '@mantine/core'
import { use, useMemo } from 'react'
import { StateBadge } from '../../../parts/badge/state-badge.tsx'
import { stepTypes } from '../../../parts/step-types.ts'
import { useCanWrite } from '../../../session/session-context.ts'
import { DraftErrors } from '../draft/checked-draft.ts'
import { CommonFields } from './common-fields.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { StepButtons } from './step-buttons.tsx'
import { StepFields } from './step-fields.tsx'
import type { StepFieldsProps } from './step-form.ts'
import type { StepValues } from '../draft/step-values.ts'

interface StepItemProps extends StepFieldsProps {
  readonly step: StepValues
  /** The number of steps. */
  readonly count: number
  readonly onMove: (to: number) => void
  readonly onCopy: () => void
  readonly onRemove: () => void
}

/** The variables of an earlier step that later steps can read. */
const outcomes = ['status', 'reason', 'seen', 'read', 'messageId'] as const

export function StepItem({ form, index, step, count, variables, onMove, onCopy, onRemove }: StepItemProps) {
  const { label, icon: Icon } = stepTypes[step.type]
  const canWrite = useCanWrite()
  const checks = use(DraftErrors)
  const invalid = [...Object.keys(form.errors), ...checks.keys()].some((path) => path.startsWith(`steps.${index}.`))
  const earlier = form.values.steps
    .slice(0, index)
    .flatMap(({ stepId }) => outcomes.map((outcome) => `steps.${stepId}.${outcome}`))
    .join(' ')
  const known = useMemo(() => [...variables, ...earlier.split(' ').filter((name) => name !== '')], [variables, earlier])
  const fields = { form, index, variables: known }
  return (
    <Accordion.Item value={step.uid}>
      <Group wrap="nowrap" gap={0}>
        <Accordion.Control
          icon={
            <ThemeIcon variant="light" color={step.active ? 'indigo' : 'gray'}>
              <Icon size={18} aria-hidden />
            </ThemeIcon>
          }
        >
          <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
            <div style={{ minWidth: 0 }}>
              <Text truncate>{step.name === '' ? label : step.name}</Text>
              <Text size="xs" c="dimmed" truncate>
                {step.name === '' ? step.stepId : `${label} · ${step.stepId}`}
              </Text>
            </div>
            {invalid && <StateBadge color="red">Errors</StateBadge>}
            {!step.active && <StateBadge color="gray">Off</StateBadge>}
            {step.condition !== '' && <StateBadge color="grape">If</StateBadge>}
          </Group>
        </Accordion.Control>
        {canWrite && (
          <StepButtons step={step} index={index} count={count} onMove={onMove} onCopy={onCopy} onRemove={onRemove} />
        )}
      </Group>
      <Accordion.Panel>
        <Fieldset variant="unstyled" disabled={!canWrite} aria-label={`Step ${step.stepId}`}>
          <Stack>
            <StepFields {...fields} type={step.type} />
            <ConditionFields {...fields} />
            <CommonFields {...fields} />
          </Stack>
        </Fieldset>
      </Accordion.Panel>
    </Accordion.Item>
  )
}
