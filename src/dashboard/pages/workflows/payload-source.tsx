// The choice of what a trigger starts with: the variables of the templates, the last event, or the preview.
import { Button, Group, Text } from '@mantine/core'
import { use } from 'react'
import { Undo } from '../../parts/undo.tsx'
import type { PreviewedTrigger } from './preview/previewed-trigger.ts'
import type { SamplePayloads } from './sample-payload.ts'

/** The fields of the trigger that a source fills in. */
interface Chosen {
  readonly payload: string
  readonly subscribers?: string[]
  readonly contexts?: string[]
}

interface PayloadSourceProps {
  /** The payload in the form, as text. */
  readonly payload: string
  readonly samples: SamplePayloads
  readonly previewed: PreviewedTrigger
  readonly onChoose: (chosen: Chosen) => void
}

export function PayloadSource({ payload, samples, previewed, onChoose }: PayloadSourceProps) {
  const offerUndo = use(Undo)
  const { subscriberId, contexts, payload: shown } = previewed
  const isSample = [samples.variables, samples.last, shown].includes(payload)
  const choose = (chosen: Chosen) => {
    onChoose(chosen)
    if (!isSample) offerUndo('Payload replaced.', () => onChoose({ payload }))
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
