// The preview of a workflow: what a subscriber would receive from the steps on the screen, and why.
import { Paper, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { problemOf } from '../../../graph/problem.ts'
import { sendAgain } from '../../../graph/query.ts'
import { CodeEditor } from '../../../parts/code/code-editor.tsx'
import { contextInputs, contextKeysError, ContextKeysInput } from '../../../parts/form/context-keys-input.tsx'
import { jsonObjectError, parseJsonObject } from '../../../parts/form/json-object.ts'
import { Loading } from '../../../parts/loading.tsx'
import { ProblemAlert } from '../../../parts/problem-alert.tsx'
import { SubscriberPicker } from '../../../parts/form/subscriber-picker.tsx'
import type { CheckedDraft } from '../draft/checked-draft.ts'
import type { StepValues } from '../draft/step-values.ts'
import { type PreviewInput, previewQuery } from './preview-query.ts'
import type { PreviewState } from './previewed-trigger.ts'
import { Obstacles } from './obstacles.tsx'
import { PreviewResult } from './preview-result.tsx'

/** Milliseconds without a change before the preview is updated. */
const PREVIEW_PAUSE = 400

interface PreviewPanelProps {
  readonly previewed: PreviewState
  readonly identifier: string
  /** The initial payload, as text. */
  readonly samplePayload: string
  readonly steps: readonly StepValues[]
  readonly checked: CheckedDraft
  /** True if there are changes that the preview only shows once they are saved. */
  readonly hasOtherChanges: boolean
}

export function PreviewPanel(props: PreviewPanelProps) {
  const { previewed, identifier, samplePayload, steps, checked, hasOtherChanges } = props
  const { subscriberId, payload: typed, contexts } = previewed.trigger
  const payload = typed ?? samplePayload
  const payloadError = jsonObjectError(payload)
  const contextsError = contextKeysError(contexts)

  const trigger: PreviewInput | undefined =
    subscriberId === null || payloadError !== null || contextsError !== null
      ? undefined
      : {
          workflowIdentifier: identifier,
          to: [{ subscriber: { subscriberId } }],
          payload: parseJsonObject(payload),
          contexts: contextInputs(contexts),
        }
  const [settled] = useDebouncedValue(trigger && JSON.stringify(trigger), PREVIEW_PAUSE)
  const { draft, obstacles } = checked
  const variables = useMemo(
    () => ({ input: { ...(JSON.parse(settled ?? '{}') as PreviewInput), ...draft } }),
    [settled, draft],
  )
  const pause = trigger === undefined || settled === undefined || draft === undefined
  // The earlier preview stays on the screen while a newer one is loading and while its fields are incomplete.
  const query = useQuery({ query: previewQuery, variables, pause })
  const [{ data, error, fetching }] = query
  const problem = error && problemOf(error)
  const isAboutPayload = problem?.field?.[0] === 'payload'
  return (
    <Paper withBorder p="md" component="section" aria-label="Preview" className="stays-beside">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Preview
        </Title>
        <SubscriberPicker
          label="Subscriber"
          value={subscriberId}
          onChange={(id) => previewed.change({ subscriberId: id })}
        />
        <CodeEditor
          label="Payload"
          language="json"
          value={payload}
          error={payloadError ?? (isAboutPayload ? problem.message : null)}
          onChange={(text) => previewed.change({ payload: text })}
        />
        <ContextKeysInput
          description="Each as type:identifier, such as tenant:acme."
          value={contexts}
          error={contextsError}
          onChange={(keys) => previewed.change({ contexts: keys })}
        />
        {hasOtherChanges && (
          <Text size="sm" c="dimmed">
            Save the workflow to preview the changes in its settings.
          </Text>
        )}
        {subscriberId === null ? (
          <Text size="sm" c="dimmed">
            Choose a subscriber to see what this person would receive. Nothing is sent.
          </Text>
        ) : obstacles.length > 0 ? (
          <Obstacles obstacles={obstacles} steps={steps} />
        ) : problem !== undefined && !isAboutPayload ? (
          <ProblemAlert problem={problem} onRetry={() => sendAgain(query)} />
        ) : (
          ((data && <PreviewResult preview={data.previewTrigger} />) ?? (fetching && <Loading />))
        )}
      </Stack>
    </Paper>
  )
}
