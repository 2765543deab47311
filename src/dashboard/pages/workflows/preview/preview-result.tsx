// The result of a preview: every step with its status, its reason, and the messages.
import { Alert, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { Answer } from '../../../parts/answer.tsx'
import { type PreviewInput, previewQuery } from './preview-query.ts'
import { PreviewedStep } from './previewed-step.tsx'

/** Takes the input as JSON, so that equal inputs are the same. */
export function PreviewResult({ input }: { readonly input: string }) {
  const variables = useMemo(() => ({ input: JSON.parse(input) as PreviewInput }), [input])
  const [{ data, error }, refresh] = useQuery({ query: previewQuery, variables })
  return (
    <Answer data={data} error={error} onRetry={() => refresh({ requestPolicy: 'network-only' })}>
      {({ previewTrigger: { errors, detail, runs } }) => (
        <Stack gap="sm" aria-live="polite">
          {(errors.length > 0 || detail !== null) && (
            <Alert color="yellow" title="The trigger would do nothing">
              {errors.length > 0 ? errors.join(' ') : detail}
            </Alert>
          )}
          {runs.flatMap(({ steps }) => steps.map((step) => <PreviewedStep key={step.stepId} step={step} />))}
        </Stack>
      )}
    </Answer>
  )
}
