// The result of a preview: every step with its status, its reason, and the messages.
import { Alert, Stack } from '@mantine/core'
import type { ResultOf } from '../../../graph/graphql.ts'
import { pauseInWords } from '../../../parts/paused.tsx'
import type { previewQuery } from './preview-query.ts'
import { PreviewedStep } from './previewed-step.tsx'

interface PreviewResultProps {
  readonly preview: ResultOf<typeof previewQuery>['previewTrigger']
}

export function PreviewResult({ preview: { errors, detail, pause, runs } }: PreviewResultProps) {
  return (
    <Stack gap="sm">
      {(errors.length > 0 || detail !== null) && (
        <Alert color="yellow" title="The trigger would do nothing">
          {errors.length > 0 ? errors.join(' ') : detail}
        </Alert>
      )}
      {pause && (
        <Alert color="yellow" title="The trigger would wait">
          {pauseInWords(pause)}
        </Alert>
      )}
      {runs.flatMap(({ steps }) => steps.map((step) => <PreviewedStep key={step.stepId} step={step} />))}
    </Stack>
  )
}
