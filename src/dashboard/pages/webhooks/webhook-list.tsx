// The list of webhook subscriptions.
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Empty } from '../../parts/empty.tsx'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Moment } from '../../parts/moment.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateWebhook } from './create-webhook.tsx'
import { eventTypesInWords } from './event-types.ts'
import { stateOf, WebhookState } from './webhook-state.tsx'
import { webhookFields, type WebhookSubscription } from './webhook-values.ts'

const webhooksQuery = graphql(
  `
    query WebhookSubscriptions(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: WebhookSubscriptionFilter
    ) {
      webhookSubscriptions(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          ...WebhookFields
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [webhookFields, pageInfoFields],
)

const activeOptions = optionsOf({ true: 'Active', false: 'Inactive' })

const columns: readonly Column<WebhookSubscription>[] = [
  {
    header: 'Identifier',
    cell: ({ identifier, description }) => (
      <>
        <RowLink to={paths.webhook(identifier)}>{identifier}</RowLink>
        {description !== null && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {description}
          </Text>
        )}
      </>
    ),
    text: ({ identifier }) => identifier,
  },
  { header: 'URL', cell: ({ url }) => url, text: ({ url }) => url, visibleFrom: 'sm' },
  {
    header: 'Event types',
    cell: ({ eventTypes }) => (
      <Text size="sm" lineClamp={3}>
        {eventTypesInWords(eventTypes)}
      </Text>
    ),
    text: ({ eventTypes }) => eventTypesInWords(eventTypes),
    visibleFrom: 'md',
  },
  {
    header: 'State',
    cell: (webhook) => (
      <>
        <WebhookState webhook={webhook} />
        {webhook.disabledReason !== null && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {webhook.disabledReason}
          </Text>
        )}
      </>
    ),
    text: (webhook) => stateOf(webhook).label,
  },
  {
    header: 'Updated',
    cell: ({ updatedAt }) => <Moment at={updatedAt} />,
    text: ({ updatedAt }) => updatedAt,
    visibleFrom: 'lg',
  },
]

export function Component() {
  const pages = usePages()
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const active = useChoice('active', activeOptions)
  const filter = { active: active === null ? null : active === 'true' }
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: webhooksQuery, variables: variablesOf(pages.arguments) })
  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create webhook subscription
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      description="Receivers that the gateway tells about changes in this environment, with signed requests."
      actions={create}
    >
      <Filters>
        <ChoiceFilter label="State" name="active" options={activeOptions} />
      </Filters>
      <ConnectionTable
        label="Webhook subscriptions"
        query={query}
        source={{ document: webhooksQuery, variablesOf }}
        connectionOf={({ webhookSubscriptions }) => webhookSubscriptions}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No webhook subscription matches">No webhook subscription is in this state.</NoMatch>
          ) : (
            <Empty title="No webhook subscriptions yet" action={create}>
              Create one to tell another system, such as a CRM, what happens to messages, events and subscribers.
            </Empty>
          )
        }
      />
      {creating && <CreateWebhook onClose={close} />}
    </Page>
  )
}
