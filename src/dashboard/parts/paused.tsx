// Notices on pages and lists about a pause.
import { Alert, Text } from '@mantine/core'
import { IconPlayerPause } from '@tabler/icons-react'
import { graphql, type ResultOf } from '../graph/graphql.ts'
import { Moment } from './moment.tsx'

export const pauseFields = graphql(`
  fragment PauseFields on Pause @_unmask {
    kind
    pausedAt
    pausedBy
    reason
  }
`)

type Pause = ResultOf<typeof pauseFields>

interface PauseBannerProps {
  readonly pause: Pause
  /** The waiting objects, in a sentence. */
  readonly children: string
}

export const PauseBanner = ({ pause, children }: PauseBannerProps) => (
  <Alert color="yellow" title="Paused" icon={<IconPlayerPause aria-hidden />} role="note" aria-label="Paused">
    <Text size="sm">{children}</Text>
    <PauseOrigin pause={pause} />
  </Alert>
)

/** When, by whom and why something was paused. */
const PauseOrigin = ({ pause: { pausedAt, pausedBy, reason } }: { readonly pause: Pause }) => (
  <Text size="sm" className="wrap-anywhere">
    Paused <Moment at={pausedAt} /> by {pausedBy}
    {reason !== null && `: ${reason}`}
  </Text>
)

const nouns = {
  ENVIRONMENT: 'environment',
  INTEGRATION: 'integration',
  WORKFLOW: 'workflow',
} as const satisfies Record<Pause['kind'], string>

/** The paused object and the reason, in a sentence. */
export const pauseInWords = ({ kind, reason }: Pick<Pause, 'kind' | 'reason'>): string =>
  reason === null ? `The ${nouns[kind]} is paused.` : `The ${nouns[kind]} is paused: ${reason}`

/** Describes the pause that something waits for. */
export const Waiting = ({ pause }: { readonly pause: Pause }) => (
  <div>
    <Text size="sm">Waits until the {nouns[pause.kind]} is resumed.</Text>
    <PauseOrigin pause={pause} />
  </div>
)

/** The reason of a pause, in a list. */
export const PauseReason = ({ pause }: { readonly pause: Pick<Pause, 'reason'> | null }) =>
  pause !== null &&
  pause.reason !== null && (
    <Text size="xs" c="dimmed" lineClamp={2} className="wrap-anywhere">
      {pause.reason}
    </Text>
  )
