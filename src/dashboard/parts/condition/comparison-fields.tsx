// One comparison of a condition: a variable, an operator and a value.
import { Autocomplete, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Comparison, type Operator, operatorList, operators, valueIn, valueText } from './condition.ts'

interface ComparisonFieldsProps {
  readonly comparison: Comparison
  readonly variables: readonly string[]
  readonly onChange: (comparison: Comparison) => void
}

const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name)

export function ComparisonFields({ comparison, variables, onChange }: ComparisonFieldsProps) {
  const { variable, operator, value } = comparison
  return (
    <Group gap="xs" flex={1} grow preventGrowOverflow={false}>
      <Autocomplete
        aria-label="Variable"
        placeholder="payload.plan"
        miw={140}
        data={[...variables]}
        limit={20}
        value={variable}
        onChange={(name) => onChange({ ...comparison, variable: name })}
      />
      <NativeSelect
        aria-label="Comparison"
        miw={120}
        data={operatorList.map((name) => ({ value: name, label: operators[name].label }))}
        value={operator}
        onChange={({ currentTarget }) =>
          isOperator(currentTarget.value) && onChange({ ...comparison, operator: currentTarget.value })
        }
      />
      {operators[operator].takesValue && (
        <ValueInput value={value} onChange={(next) => onChange({ ...comparison, value: next })} />
      )}
    </Group>
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
