// A condition as a form: one line for each comparison.
import { ActionIcon, Autocomplete, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type Comparison,
  newComparison,
  type Operator,
  operatorList,
  operators,
  type SimpleCondition,
  valueIn,
  valueText,
} from './condition.ts'

interface ComparisonFieldsProps {
  readonly condition: SimpleCondition
  readonly variables: readonly string[]
  readonly onChange: (condition: SimpleCondition) => void
}

const isOperator = (name: string): name is Operator => name in operators

export function ComparisonFields({ condition, variables, onChange }: ComparisonFieldsProps) {
  const { match, comparisons } = condition
  const replace = (position: number, changed: Partial<Comparison>) =>
    onChange({
      match,
      comparisons: comparisons.map((one, index) => (index === position ? { ...one, ...changed } : one)),
    })
  return (
    <Stack gap="xs">
      {comparisons.length > 1 && (
        <NativeSelect
          aria-label="How comparisons combine"
          size="xs"
          w={200}
          data={[
            { value: 'all', label: 'All of these are true' },
            { value: 'any', label: 'Any of these is true' },
          ]}
          value={match}
          onChange={(event) => onChange({ match: event.currentTarget.value === 'any' ? 'any' : 'all', comparisons })}
        />
      )}
      {comparisons.map(({ variable, operator, value }, position) => (
        <Group key={`${position} of ${comparisons.length}`} gap="xs" wrap="nowrap" align="flex-start">
          <Group gap="xs" flex={1} grow preventGrowOverflow={false}>
            <Autocomplete
              aria-label="Variable"
              placeholder="payload.plan"
              miw={140}
              data={[...variables]}
              limit={20}
              value={variable}
              onChange={(name) => replace(position, { variable: name })}
            />
            <NativeSelect
              aria-label="Comparison"
              miw={120}
              data={operatorList.map((name) => ({ value: name, label: operators[name].label }))}
              value={operator}
              onChange={({ currentTarget }) =>
                isOperator(currentTarget.value) && replace(position, { operator: currentTarget.value })
              }
            />
            {operators[operator].takesValue && (
              <ValueInput value={value} onChange={(next) => replace(position, { value: next })} />
            )}
          </Group>
          <ActionIcon
            variant="subtle"
            color="gray"
            mt={4}
            aria-label="Remove comparison"
            disabled={comparisons.length === 1}
            onClick={() => onChange({ match, comparisons: comparisons.filter((_, index) => index !== position) })}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group justify="space-between">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange({ match, comparisons: [...comparisons, newComparison] })}
        >
          Add comparison
        </Button>
        <Text size="xs" c="dimmed">
          Write true, false and numbers as they are, and "12" in quotes for text.
        </Text>
      </Group>
    </Stack>
  )
}

/** Keeps the text as typed, because 1.0 may become 1.05. */
function ValueInput({ value, onChange }: { readonly value: unknown; readonly onChange: (value: unknown) => void }) {
  const [typed, setTyped] = useState(() => valueText(value))
  const text = valueIn(typed) === value ? typed : valueText(value)
  return (
    <TextInput
      aria-label="Value"
      miw={100}
      value={text}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(valueIn(currentTarget.value))
      }}
    />
  )
}
