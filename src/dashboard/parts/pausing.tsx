// Pausing and resuming: a button for each, and what a page says while something is paused.
import { Alert, Button, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { TypedDocumentNode } from 'urql'
import { type Payload, useAct } from '../graph/act.ts'
import { graphql, type ResultOf } from '../graph/graphql.ts'
import { confirmAct } from './confirm-act.tsx'
import { showDone, showProblems } from './messages.ts'
import { Moment } from './moment.tsx'

export const pauseFields = graphql(`
  fragment PauseFields on Pause @_unmask {
    pausedAt
    pausedBy
    reason
  }
`)

type Pause = ResultOf<typeof pauseFields>

interface PauseButtonProps<Paused extends Payload, Resumed extends Payload, Input> {
  /** What is paused, such as `integration acme-sms`. */
  readonly what: string
  /** What waits meanwhile, in a sentence. */
  readonly consequence: string
  readonly isPaused: boolean
  readonly input: Input
  readonly pause: TypedDocumentNode<Readonly<Record<string, Paused>>, { input: Input }>
  readonly resume: TypedDocumentNode<Readonly<Record<string, Resumed>>, { input: Input }>
}

/** Pauses after a question, and resumes at once. */
export function PauseButton<Paused extends Payload, Resumed extends Payload, Input>({
  what,
  consequence,
  isPaused,
  input,
  pause,
  resume,
}: PauseButtonProps<Paused, Resumed, Input>) {
  const [doPause, pausing] = useAct(pause)
  const [doResume, resuming] = useAct(resume)
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`

  async function send(act: (input: Input) => ReturnType<typeof doPause | typeof doResume>, done: string) {
    const outcome = await act(input)
    if (outcome.ok) showDone(`${name} ${done}.`)
    else showProblems(outcome.problems)
  }
  if (isPaused) {
    return (
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resuming}
        onClick={() => void send(doResume, 'resumed')}
      >
        Resume
      </Button>
    )
  }
  const ask = () =>
    confirmAct({
      title: `Pause ${what}?`,
      consequence,
      confirm: 'Pause',
      dismiss: 'Cancel',
      onConfirm: () => send(doPause, 'paused'),
    })
  return (
    <Button variant="default" leftSection={<IconPlayerPause size={16} aria-hidden />} loading={pausing} onClick={ask}>
      Pause
    </Button>
  )
}

interface PauseBannerProps {
  readonly pause: Pause
  /** What waits, in a sentence. */
  readonly children: string
}

export const PauseBanner = ({ pause: { pausedAt, pausedBy, reason }, children }: PauseBannerProps) => (
  <Alert color="yellow" title="Paused" icon={<IconPlayerPause aria-hidden />}>
    <Text size="sm">{children}</Text>
    <Text size="sm" c="dimmed">
      <Moment at={pausedAt} /> by {pausedBy}
      {reason !== null && `: ${reason}`}
    </Text>
  </Alert>
)
