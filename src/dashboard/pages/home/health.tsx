// What fails now, and how long the queue is.
import { Anchor, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'

export const healthFields = graphql(`
  fragment HealthFields on DeliveryHealth @_unmask {
    since
    failedDeliveries
    integrations {
      integrationIdentifier
      failedAttempts
      sent
      failing
      lastFailure {
        id
        workflowRun {
          id
          event {
            id
            transactionId
          }
        }
      }
    }
    workflows {
      workflowIdentifier
      failedMessages
      failedRuns
      workflow {
        id
        suspension {
          reason
        }
      }
    }
    queue {
      kind
      due
      oldestDueSince
    }
  }
`)

type DeliveryHealth = ResultOf<typeof healthFields>

const number = new Intl.NumberFormat()

/** What the parts of the queue do, as the end of "… wait". */
const jobs = {
  EVENTS: 'events whose runs are to be created',
  RUNS: 'runs whose next step is to be executed',
  MESSAGES: 'messages to be sent',
} as const satisfies Record<DeliveryHealth['queue'][number]['kind'], string>

export function Health({ health }: { readonly health: DeliveryHealth }) {
  return (
    <Stack component="section" gap="sm" aria-label="What fails now">
      <Title order={2} size="h4">
        What fails now
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card title="Integrations" nothing="No attempt failed in the last hour.">
          {health.integrations.map((one) => (
            <IntegrationLine key={one.integrationIdentifier} integration={one} />
          ))}
        </Card>
        <Card title="Workflows" nothing="No workflow failed in the last hour, and none is suspended.">
          {health.workflows.map((one) => (
            <WorkflowLine key={one.workflowIdentifier} workflow={one} />
          ))}
        </Card>
        <Card title="Failed messages" nothing="No message is failed.">
          {health.failedDeliveries > 0 && [
            <Text key="count" size="sm">
              {number.format(health.failedDeliveries)} failed and can be retried on the pages of their events.
            </Text>,
          ]}
        </Card>
        <Card title="Queue" nothing="Nothing waits for a worker.">
          {health.queue.flatMap(({ kind, due, oldestDueSince }) =>
            due === 0
              ? []
              : [
                  <Text key={kind} size="sm">
                    {number.format(due)} {jobs[kind]}
                    {oldestDueSince !== null && (
                      <>
                        , the oldest due <Moment at={oldestDueSince} />
                      </>
                    )}
                  </Text>,
                ],
          )}
        </Card>
      </SimpleGrid>
    </Stack>
  )
}

interface CardProps {
  readonly title: string
  /** Shown instead of an empty list. */
  readonly nothing: string
  readonly children: readonly ReactNode[] | false
}

function Card({ title, nothing, children }: CardProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="xs">
        <Title order={3} size="h6">
          {title}
        </Title>
        {children === false || children.length === 0 ? (
          <Text size="sm" c="dimmed">
            {nothing}
          </Text>
        ) : (
          children
        )}
      </Stack>
    </Paper>
  )
}

function IntegrationLine({ integration }: { readonly integration: DeliveryHealth['integrations'][number] }) {
  const { integrationIdentifier, failing, failedAttempts, sent, lastFailure } = integration
  return (
    <Text size="sm" className="wrap-anywhere">
      <Anchor inherit component={Link} underline="always" to={paths.integration(integrationIdentifier)}>
        {integrationIdentifier}
      </Anchor>
      {failing && <b> is failing</b>}: {number.format(failedAttempts)} failed attempts, {number.format(sent)} messages
      sent in the last hour.{' '}
      {lastFailure && (
        <Anchor
          inherit
          component={Link}
          underline="always"
          to={paths.event(lastFailure.workflowRun.event.transactionId)}
        >
          See the last failure
        </Anchor>
      )}
    </Text>
  )
}

function WorkflowLine({ workflow: one }: { readonly workflow: DeliveryHealth['workflows'][number] }) {
  const { workflowIdentifier, workflow, failedMessages, failedRuns } = one
  return (
    <Text size="sm" className="wrap-anywhere">
      <Anchor inherit component={Link} underline="always" to={paths.workflow(workflowIdentifier)}>
        {workflowIdentifier}
      </Anchor>
      : {number.format(failedMessages)} failed messages, {number.format(failedRuns)} failed runs.{' '}
      {workflow?.suspension && <b>Suspended: {workflow.suspension.reason} </b>}
      <Anchor
        inherit
        component={Link}
        underline="always"
        to={`${paths.events}?workflow=${encodeURIComponent(workflowIdentifier)}`}
      >
        See its events
      </Anchor>
    </Text>
  )
}
