// The columns of a list of notifications, and what they read of one.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import type { Column } from '../../parts/list/connection-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'

export const notificationFields = graphql(`
  fragment NotificationFields on Notification @_unmask {
    id
    subject
    body
    severity
    readAt
    archivedAt
    snoozedUntil
    createdAt
    workflowIdentifier
    actions {
      label
      isCompleted
    }
    event {
      id
      transactionId
    }
  }
`)

export type Notification = ResultOf<typeof notificationFields>

const severities = { HIGH: 'High severity', MEDIUM: 'Medium severity', LOW: 'Low severity', NONE: undefined } as const

export const notificationColumns: readonly Column<Notification>[] = [
  {
    header: 'Notification',
    text: ({ subject, body }) => (subject === null ? body : `${subject}\n${body}`),
    cell: ({ subject, body, readAt, severity, snoozedUntil, actions }) => (
      <Stack gap={2}>
        <Group gap="xs">
          {readAt === null && (
            <Badge size="sm" variant="light">
              Unread
            </Badge>
          )}
          {severities[severity] !== undefined && (
            <Badge size="sm" variant="default">
              {severities[severity]}
            </Badge>
          )}
          {subject !== null && (
            <Text inherit fw={readAt === null ? 600 : 400}>
              {subject}
            </Text>
          )}
        </Group>
        <Text inherit c={subject === null ? undefined : 'dimmed'}>
          {body}
        </Text>
        {snoozedUntil !== null && (
          <Text inherit>
            Returns <Moment at={snoozedUntil} />
          </Text>
        )}
        {actions.length > 0 && (
          <Group gap="xs">
            {actions.map(({ label, isCompleted }, index) => (
              <StateBadge key={index} color={isCompleted ? 'green' : 'gray'}>
                {isCompleted ? `${label}: completed` : label}
              </StateBadge>
            ))}
          </Group>
        )}
      </Stack>
    ),
  },
  {
    header: 'Workflow',
    cell: ({ workflowIdentifier }) => <RowLink to={paths.workflow(workflowIdentifier)}>{workflowIdentifier}</RowLink>,
    text: ({ workflowIdentifier }) => workflowIdentifier,
    visibleFrom: 'sm',
  },
  {
    header: 'Event',
    cell: ({ event }) => event && <RowLink to={paths.event(event.transactionId)}>{event.transactionId}</RowLink>,
    text: ({ event }) => event?.transactionId ?? null,
    visibleFrom: 'md',
  },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]
