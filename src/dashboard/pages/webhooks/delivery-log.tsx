// The log of a webhook subscription: its messages of the last 7 days, with their last response.
import { Button, Group, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconHistory } from '@tabler/icons-react'
import { useEffect, useEffectEvent } from 'react'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Empty } from '../../parts/empty.tsx'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { useComingAttempt } from './coming-attempt.ts'
import { WebhookStatusBadge, webhookStatusOptions } from './delivery-status.tsx'
import { eventTypeLabel, eventTypeOptions } from './event-types.ts'
import { Replay } from './replay.tsx'
import { RetryWebhook } from './retry-webhook.tsx'
import type { WebhookSubscription } from './webhook-values.ts'

const logQuery = graphql(
  `
    query WebhookLog(
      $identifier: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: WebhookDeliveryFilter
    ) {
      webhookSubscription(identifier: $identifier) {
        id
        active
        failingSince
        deliveries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
          totalCount
          totalCountCapped
          nodes {
            id
            messageId
            eventType
            status
            nextAttemptAt
            createdAt
            attempts {
              startedAt
              statusCode
              error
            }
          }
          pageInfo {
            ...PageInfoFields
          }
        }
      }
    }
  `,
  [pageInfoFields],
)

type Subscription = NonNullable<ResultOf<typeof logQuery>['webhookSubscription']>
type Row = Subscription['deliveries']['nodes'][number]

/** The last response, in a line. */
function responseOf({ attempts }: Row): string {
  const last = attempts.at(-1)
  if (last === undefined) return ''
  return last.error ?? `Status ${last.statusCode}`
}

const columnsOf = (identifier: string, canWrite: boolean): readonly Column<Row>[] => [
  {
    header: 'Message',
    cell: ({ id, messageId, eventType }) => (
      <>
        <RowLink to={paths.webhookDelivery(identifier, id)}>
          {eventType === null ? 'Unknown type' : eventTypeLabel(eventType)}
        </RowLink>
        <Text size="xs" c="dimmed">
          {messageId}
        </Text>
      </>
    ),
    text: ({ messageId }) => messageId,
  },
  {
    header: 'Status',
    cell: ({ status, nextAttemptAt }) => (
      <>
        <WebhookStatusBadge status={status} />
        {status === 'PENDING' && nextAttemptAt !== null && (
          <Text size="xs" c="dimmed" component="div">
            next attempt <Moment at={nextAttemptAt} />
          </Text>
        )}
      </>
    ),
    text: ({ status }) => status,
  },
  {
    header: 'Attempts',
    cell: ({ attempts }) => attempts.length,
    text: (row) => row.attempts.length,
    visibleFrom: 'sm',
  },
  {
    header: 'Last response',
    cell: (row) => (
      <Text size="sm" lineClamp={2}>
        {responseOf(row) || 'None yet'}
      </Text>
    ),
    text: responseOf,
    visibleFrom: 'sm',
  },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'md',
  },
  ...(canWrite
    ? [
        {
          header: 'Actions',
          cell: ({ id, messageId, status }: Row) =>
            status !== 'PENDING' && <RetryWebhook id={id} size="compact-xs" label={`Retry ${messageId}`} />,
          visibleFrom: 'sm' as const,
        },
      ]
    : []),
]

interface LogProps {
  readonly webhook: WebhookSubscription
  /** Called if the log shows that the state of the subscription is no longer the given one. */
  readonly onStateChange: () => void
}

export function DeliveryLog({ webhook: { id, identifier, active, failingSince }, onStateChange }: LogProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const [replaying, { open, close }] = useDisclosure(false)
  const filter = {
    statuses: useChoices('status', webhookStatusOptions),
    eventTypes: useChoices('type', eventTypeOptions),
  }
  const variablesOf = (page: PageArguments) => ({ identifier, ...page, filter })
  const query = useQuery({ query: logQuery, variables: variablesOf(pages.arguments) })
  const found = query[0].data?.webhookSubscription
  const rows = found?.deliveries.nodes ?? []
  const hasChanged = !!found && (found.active !== active || found.failingSince !== failingSince)
  const report = useEffectEvent(onStateChange)
  useEffect(() => {
    if (hasChanged) report()
  }, [hasChanged])
  useComingAttempt(query, active ? rows.map(({ nextAttemptAt }) => nextAttemptAt) : [])
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Log
        </Title>
        {canWrite && (
          <Button size="xs" variant="default" leftSection={<IconHistory size={16} aria-hidden />} onClick={open}>
            Replay messages
          </Button>
        )}
      </Group>
      <Filters>
        <ChoicesFilter label="Status" name="status" options={webhookStatusOptions} />
        <ChoicesFilter label="Event type" name="type" options={eventTypeOptions} />
      </Filters>
      <ConnectionTable
        label="Log"
        isLive
        query={query}
        source={{ document: logQuery, variablesOf }}
        connectionOf={({ webhookSubscription }) => webhookSubscription?.deliveries ?? null}
        nameOf={({ messageId }) => messageId}
        columns={columnsOf(identifier, canWrite)}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No webhook message matches">No message of the last 7 days fits all filters.</NoMatch>
          ) : (
            <Empty title="No messages yet">
              The log has the messages of the last 7 days. Send a test message to see whether the receiver accepts it.
            </Empty>
          )
        }
      />
      {replaying && <Replay id={id} onClose={close} />}
    </>
  )
}
