// The preview of a workflow: what a subscriber would receive, and why.
import { Paper, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import { contextInputs, contextKeysError, ContextKeysInput } from '../../../parts/context-keys-input.tsx'
import { jsonObjectError, parseJsonObject } from '../../../parts/json-object.ts'
import { SubscriberPicker } from '../../../parts/subscriber-picker.tsx'
import type { PreviewInput } from './preview-query.ts'
import { PreviewResult } from './preview-result.tsx'

/** Time without a change before the preview is made again, in milliseconds. */
const PREVIEW_PAUSE = 400

interface PreviewPanelProps {
  readonly identifier: string
  /** The payload to start from, as text. */
  readonly samplePayload: string
  readonly dirty: boolean
}

export function PreviewPanel({ identifier, samplePayload, dirty }: PreviewPanelProps) {
  const [subscriberId, setSubscriberId] = useState<string | null>(null)
  const [typed, setPayload] = useState<string>()
  const [contexts, setContexts] = useState<string[]>([])
  const payload = typed ?? samplePayload
  const payloadError = jsonObjectError(payload)
  const contextsError = contextKeysError(contexts)

  const input: PreviewInput | undefined =
    subscriberId === null || payloadError !== null || contextsError !== null
      ? undefined
      : {
          name: identifier,
          to: [{ subscriber: { subscriberId } }],
          payload: parseJsonObject(payload),
          contexts: contextInputs(contexts),
        }
  const [settled] = useDebouncedValue(input && JSON.stringify(input), PREVIEW_PAUSE)
  return (
    <Paper withBorder p="md" component="section" aria-label="Preview" className="stays-beside">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Preview
        </Title>
        <SubscriberPicker label="Subscriber" value={subscriberId} onChange={setSubscriberId} />
        <CodeEditor label="Payload" language="json" value={payload} error={payloadError} onChange={setPayload} />
        <ContextKeysInput
          description="Each as type:identifier, such as tenant:acme."
          value={contexts}
          error={contextsError}
          onChange={setContexts}
        />
        {dirty && (
          <Text size="sm" c="dimmed">
            The preview shows the saved workflow. Save it to see your changes.
          </Text>
        )}
        {input === undefined || settled === undefined ? (
          <Text size="sm" c="dimmed">
            {subscriberId === null
              ? 'Choose a subscriber to see what this person would receive. Nothing is sent.'
              : 'Correct the fields above to see the preview.'}
          </Text>
        ) : (
          <PreviewResult input={settled} />
        )}
      </Stack>
    </Paper>
  )
}
