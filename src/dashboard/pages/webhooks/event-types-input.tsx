// A field for types of webhook messages, in groups.
import { Button, MultiSelect, type MultiSelectProps } from '@mantine/core'
import { clearButton } from '../../parts/clear-button.ts'
import { eventTypeOptions, groupedEventTypes, type WebhookEventType } from './event-types.ts'

interface EventTypesInputProps extends Omit<MultiSelectProps, 'data' | 'value' | 'onChange'> {
  readonly value?: readonly WebhookEventType[]
  readonly onChange: (types: WebhookEventType[]) => void
}

export function EventTypesInput({ value = [], onChange, ...props }: EventTypesInputProps) {
  const isComplete = value.length === eventTypeOptions.length
  const choose = (types: readonly string[]) =>
    onChange(eventTypeOptions.flatMap((option) => (types.includes(option.value) ? option.value : [])))
  return (
    <div>
      <MultiSelect
        searchable
        clearable
        clearButtonProps={clearButton('Clear the event types')}
        hidePickedOptions
        nothingFoundMessage="No type matches"
        data={groupedEventTypes}
        value={[...value]}
        onChange={choose}
        {...props}
      />
      {!isComplete && (
        <Button
          variant="subtle"
          size="compact-xs"
          mt={4}
          onClick={() => onChange(eventTypeOptions.map((option) => option.value))}
        >
          Choose all types
        </Button>
      )}
    </div>
  )
}
