// The text messages that people sent to the numbers of an integration.
import { Text, Title } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'

const inboundTextsQuery = graphql(
  `
    query InboundTexts($first: Int, $after: String, $last: Int, $before: String, $filter: InboundTextFilter) {
      inboundTexts(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          from
          to
          text
          keyword
          createdAt
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type InboundText = ResultOf<typeof inboundTextsQuery>['inboundTexts']['nodes'][number]

const colors = { STOP: 'red', START: 'green', HELP: 'blue' } as const satisfies Record<
  NonNullable<InboundText['keyword']>,
  string
>

const columns: readonly Column<InboundText>[] = [
  {
    header: 'From',
    cell: ({ from }) => <RowLink to={paths.subscribersFound(from)}>{from}</RowLink>,
    text: ({ from }) => from,
  },
  {
    header: 'Text',
    cell: ({ text, keyword }) => (
      <>
        <Text size="sm" className="wrap-anywhere" lineClamp={4}>
          {text}
        </Text>
        {keyword !== null && <StateBadge color={colors[keyword]}>{keyword}</StateBadge>}
      </>
    ),
    text: ({ text }) => text,
  },
  { header: 'To', cell: ({ to }) => to, text: ({ to }) => to, visibleFrom: 'sm' },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]

export function InboundTexts({ integrationIdentifier }: { readonly integrationIdentifier: string }) {
  const pages = usePages('texts-')
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { integrationIdentifier } })
  const query = useQuery({ query: inboundTextsQuery, variables: variablesOf(pages.arguments) })
  return (
    <>
      <Title order={2} size="h4">
        Received texts
      </Title>
      <ConnectionTable
        label="Received texts"
        query={query}
        source={{ document: inboundTextsQuery, variablesOf }}
        connectionOf={({ inboundTexts }) => inboundTexts}
        columns={columns}
        pages={pages}
        empty={
          <Empty title="No texts yet">
            Texts that people send to the number arrive at the URL for reports. They are kept for 30 days.
          </Empty>
        }
      />
    </>
  )
}
