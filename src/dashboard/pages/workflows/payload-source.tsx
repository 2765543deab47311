// The choice of what a trigger starts with: the variables of the templates, the last event, or the preview.
import { Button, Group, Text } from '@mantine/core'
import { use } from 'react'
import { Undo } from '../../parts/undo.tsx'
import type { PreviewedTrigger } from './preview/previewed-trigger.ts'
import type { SamplePayloads } from './sample-payload.ts'

/** The fields of the trigger that a source fills in. */
interface Fields {
  readonly payload: string
  readonly subscribers: string[]
  readonly contexts: string[]
}

interface PayloadSourceProps {
  /** The values in the form. The payload is text. */
  readonly values: Fields
  readonly samples: SamplePayloads
  readonly previewed: PreviewedTrigger
  readonly onChoose: (chosen: Partial<Fields>) => void
}

export function PayloadSource({ values, samples, previewed, onChoose }: PayloadSourceProps) {
  const offerUndo = use(Undo)
  const { subscriberId, contexts, payload: shown } = previewed
  const choose = (chosen: Partial<Fields>) => {
    const { payload, subscribers, contexts: keys } = values
    const isSample = [samples.variables, samples.last, shown].includes(payload)
    // What a source has filled in can be chosen again.
    const isTyped = chosen.subscribers !== undefined && subscribers.length + keys.length > 0
    onChoose(chosen)
    if (isSample && !isTyped) return
    offerUndo(chosen.subscribers === undefined ? 'Payload replaced.' : 'Payload and recipients replaced.', () =>
      onChoose(chosen.subscribers === undefined ? { payload } : { payload, subscribers, contexts: keys }),
    )
  }
  const { last } = samples
  return (
    <Group gap="xs">
      <Text size="sm">Start from</Text>
      <Button size="compact-sm" variant="default" onClick={() => choose({ payload: samples.variables })}>
        Variables of the templates
      </Button>
      {last !== undefined && (
        <Button size="compact-sm" variant="default" onClick={() => choose({ payload: last })}>
          Last payload
        </Button>
      )}
      {subscriberId !== null && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => choose({ payload: shown ?? samples.variables, subscribers: [subscriberId], contexts })}
        >
          From the preview
        </Button>
      )}
    </Group>
  )
}
