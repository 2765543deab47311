// Current failures and queue lengths.
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { IntegrationLine, WorkflowLine } from './failures.tsx'
import type { DeliveryHealth } from './health-fields.ts'
import { ReceiptLine } from './receipt-line.tsx'
import { TextLink } from './text-link.tsx'

const number = new Intl.NumberFormat()

type Queue = DeliveryHealth['queue'][number]

/** The waiting and held jobs in each part of the queue, and the pages that list them. */
const jobs = {
  EVENTS: {
    label: 'events whose runs are to be created',
    paused: 'Events that wait for the end of a pause',
    to: `${paths.events}?status=ACCEPTED`,
  },
  RUNS: {
    label: 'runs whose next step is to be executed',
    paused: 'Runs, or groups of runs, that wait for the end of a pause',
    to: `${paths.events}?status=RUNNING`,
  },
  MESSAGES: {
    label: 'messages to be sent',
    paused: 'Messages that wait for the end of a pause',
    to: `${paths.deliveries}?status=PENDING`,
  },
} as const satisfies Record<Queue['kind'], { readonly label: string; readonly paused: string; readonly to: string }>

function QueuePart({ part: { kind, due, paused, rateLimited, oldestDueSince } }: { readonly part: Queue }) {
  const { label, paused: pausedLabel, to } = jobs[kind]
  return (
    <>
      {due > 0 && (
        <Text size="sm">
          <TextLink to={to}>
            {number.format(due)} {label}
          </TextLink>
          {oldestDueSince !== null && (
            <>
              , the oldest due <Moment at={oldestDueSince} />
            </>
          )}
        </Text>
      )}
      {paused > 0 && (
        <Text size="sm">
          <TextLink to={to}>
            {pausedLabel}: {number.format(paused)}
          </TextLink>
        </Text>
      )}
      {rateLimited > 0 && (
        <Text size="sm">
          <TextLink to={to}>
            Messages that wait for the rate limit of an integration: {number.format(rateLimited)}
          </TextLink>
        </Text>
      )}
    </>
  )
}

export function Health({ health }: { readonly health: DeliveryHealth }) {
  return (
    <Stack component="section" gap="sm" aria-label="Failing now">
      <Title order={2} size="h4">
        Failing now
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card title="Integrations" nothing="No attempt failed in the last hour.">
          {health.integrations.map((one) => (
            <IntegrationLine key={one.integrationIdentifier} integration={one} since={health.since} />
          ))}
        </Card>
        <Card title="Workflows" nothing="No workflow failed in the last hour, and none is suspended.">
          {health.workflows.map((one) => (
            <WorkflowLine key={one.workflowIdentifier} workflow={one} since={health.since} />
          ))}
        </Card>
        <Card title="Failed messages" nothing="No message has failed.">
          {health.failedDeliveries > 0 && [
            <Text key="count" size="sm">
              <TextLink to={`${paths.deliveries}?status=FAILED`}>
                {number.format(health.failedDeliveries)} failed
              </TextLink>{' '}
              and can be retried on the pages of their events.
            </Text>,
          ]}
        </Card>
        <Card title="Bounces and complaints" nothing="No message bounced or was reported as spam in the last hour.">
          {health.receipts.map((one) => (
            <ReceiptLine key={one.integrationIdentifier} receipt={one} />
          ))}
        </Card>
        <Card title="Queue" nothing="Nothing waits for a worker.">
          {health.queue
            .filter(({ due, paused, rateLimited }) => due + paused + rateLimited > 0)
            .map((part) => (
              <QueuePart key={part.kind} part={part} />
            ))}
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
