// The condition of a step: always, comparisons, or any JSON logic.
import { Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CodeEditor } from '../code/code-editor.tsx'
import { formatJson, parseJsonObject } from '../../../parts/form/json-object.ts'
import { useCanWrite } from '../../../session/session-context.ts'
import { ComparisonFields } from './comparison-fields.tsx'
import { newComparison, ruleOf, type SimpleCondition, simpleConditionOf } from './condition.ts'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'

type Mode = 'always' | 'form' | 'json'

const modes = [
  { value: 'always', label: 'Always' },
  { value: 'form', label: 'If …' },
  { value: 'json', label: 'JSON logic' },
] as const satisfies { value: Mode; label: string }[]

/** Returns the condition as the form shows it. Undefined if the text is not JSON or is too complex for the form. */
function simpleConditionIn(text: string): SimpleCondition | undefined {
  try {
    return simpleConditionOf(parseJsonObject(text))
  } catch {
    return undefined
  }
}

export function ConditionFields({ form, index, variables }: StepFieldsProps) {
  const path = `steps.${index}.condition` as const
  const text = form.values.steps[index]?.condition ?? ''
  const error = useFieldError(form)(path)
  const onChange = (condition: string) => form.setFieldValue(path, condition)
  const simple = simpleConditionIn(text)
  const [chosen, choose] = useState<Mode>(text === '' ? 'always' : simple === undefined ? 'json' : 'form')
  // An undo, or a change elsewhere, may result in a condition that only JSON can show.
  const mode = chosen === 'form' && simple === undefined ? 'json' : chosen
  const canWrite = useCanWrite()
  const write = (condition: SimpleCondition) => onChange(formatJson(ruleOf(condition)))

  const change = (next: Mode) => {
    choose(next)
    if (next === 'always') onChange('')
    else if (text === '') write({ match: 'all', comparisons: [newComparison] })
  }
  return (
    <Stack gap="xs">
      <Input.Wrapper label={fieldLabels.condition} labelElement="div" description="When the step is executed.">
        <SegmentedControl
          mt={4}
          size="xs"
          aria-label={fieldLabels.condition}
          disabled={!canWrite}
          data={modes.map((item) => ({
            ...item,
            disabled: item.value === 'form' && text !== '' && simple === undefined,
          }))}
          value={mode}
          onChange={(next) => {
            const found = modes.find((item) => item.value === next)
            if (found) change(found.value)
          }}
        />
      </Input.Wrapper>
      {mode === 'form' && simple && <ComparisonFields condition={simple} onChange={write} variables={variables} />}
      {mode === 'form' && error && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {mode === 'json' && (
        <CodeEditor
          label="JSON logic"
          description="Over subscriber, payload, context and steps, with the operators of jsonlogic.com."
          language="json"
          readOnly={!canWrite}
          value={text}
          error={error}
          onChange={onChange}
        />
      )}
    </Stack>
  )
}
