// One run of an event: what happened for one recipient, step by step.
import { Group, Paper, Stack, Text, Timeline, Title } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { pauseInWords } from '../../parts/paused.tsx'
import { colorOf, StatusBadge } from '../../parts/badge/status-badge.tsx'
import { stepTypes } from '../../parts/step-types.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { CancelRun } from './cancel-run.tsx'
import { RetryRun } from './retry-run.tsx'
import { stepFields, StepItem, titleOf } from './step-item.tsx'
import { RowLink } from '../../parts/row-link.tsx'

export const runFields = graphql(
  `
    fragment RunFields on WorkflowRun @_unmask {
      id
      status
      outcome
      error
      retriable
      retriableWithCurrent: retriable(workflowVersion: CURRENT)
      cancellable
      subscriberId
      createdAt
      subscriber {
        id
      }
      pause {
        kind
        reason
      }
      steps {
        ...StepFields
      }
    }
  `,
  [stepFields],
)

type Run = ResultOf<typeof runFields>

interface RunCardProps {
  readonly run: Run
  readonly workflowIdentifier: string
}

export function RunCard({ run, workflowIdentifier }: RunCardProps) {
  const canWrite = useCanWrite()
  const { status, outcome: result, error, subscriberId, subscriber, pause, steps, createdAt } = run
  const subject = { workflowIdentifier, subscriberId }

  return (
    <Paper withBorder p="md" component="section" aria-label={`Run for ${subscriberId}`}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={3} size="h5" className="wrap-anywhere">
            {subscriber === null ? (
              `${subscriberId} (deleted)`
            ) : (
              <RowLink to={paths.subscriber(subscriberId)}>{subscriberId}</RowLink>
            )}
          </Title>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              <Moment at={createdAt} />
            </Text>
            <StatusBadge status={result} />
            {canWrite && (run.retriable || run.retriableWithCurrent) && <RetryRun run={run} />}
            {canWrite && run.cancellable && <CancelRun run={run} />}
          </Group>
        </Group>
        {error !== null && <Text size="sm">{error}</Text>}
        {pause && <Text size="sm">{pauseInWords(pause)}</Text>}
        {steps.length === 0 ? (
          <Text size="sm" c="dimmed">
            {status === 'RUNNING' && pause === null
              ? 'The first step is about to be executed.'
              : 'No step was executed.'}
          </Text>
        ) : (
          <Timeline active={steps.length} bulletSize={28} lineWidth={2}>
            {steps.map((step) => {
              const { icon: Icon } = stepTypes[step.type]
              return (
                <Timeline.Item
                  key={step.stepId}
                  color={colorOf(step.status)}
                  bullet={<Icon size={16} aria-hidden />}
                  title={titleOf(step)}
                >
                  <StepItem step={step} subject={subject} />
                </Timeline.Item>
              )
            })}
          </Timeline>
        )}
      </Stack>
    </Paper>
  )
}
