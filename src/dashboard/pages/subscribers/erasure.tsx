// The erasure of a person: whether it has finished, and which objects still name the person.
import { Alert, Group, List, Loader, Stack, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { usePolling } from '../../parts/polling.ts'
import { RowLink } from '../../parts/row-link.tsx'

const erasureQuery = graphql(`
  query Erasure($id: ID!) {
    erasure(id: $id) {
      id
      createdAt
      finishedAt
      mentionCount
      mentions {
        type
        key
      }
    }
  }
`)

type Mention = NonNullable<ResultOf<typeof erasureQuery>['erasure']>['mentions'][number]

const types = {
  CONTEXT: { label: 'Context', to: paths.context },
  TOPIC: { label: 'Topic', to: paths.topic },
  SUBSCRIBER: { label: 'Subscriber', to: paths.subscriber },
  CHANNEL_ENDPOINT: { label: 'Channel endpoint', to: paths.channelEndpoint },
  // A connection is part of the page of its integration.
  CHANNEL_CONNECTION: { label: 'Channel connection', to: undefined },
} as const satisfies Record<Mention['type'], { label: string; to: ((key: string) => string) | undefined }>

function MentionedObject({ type, name }: { readonly type: Mention['type']; readonly name: string }) {
  const { label, to } = types[type]
  return (
    <>
      {label} {to === undefined ? name : <RowLink to={to(name)}>{name}</RowLink>}
    </>
  )
}

/** Objects that belong to others. Someone has to correct them. */
function Mentions({ count, mentions }: { readonly count: number; readonly mentions: readonly Mention[] }) {
  if (count === 0) return null
  return (
    <Alert color="yellow" title="Others still name the person">
      <Stack gap="xs">
        <Text size="sm">
          These objects belong to others, so they are not changed. Correct or delete them. They stay in this list.
        </Text>
        <List size="sm">
          {mentions.map(({ type, key }) => (
            <List.Item key={`${type} ${key}`} className="wrap-anywhere">
              <MentionedObject type={type} name={key} />
            </List.Item>
          ))}
        </List>
        {count > mentions.length && <Text size="sm">Found in all: {count}</Text>}
      </Stack>
    </Alert>
  )
}

export function Component() {
  const { id = '' } = useParams()
  const query = useQuery({ query: erasureQuery, variables: { id } })
  const [{ data }] = query
  usePolling(data?.erasure?.finishedAt === null, query)

  return (
    <Page title="Erasure of a person" parent={{ label: 'Subscribers', to: paths.subscribers }}>
      <Answer query={query}>
        {({ erasure }) =>
          erasure === null ? (
            <Missing what={`erasure with the id ${id}`} list={{ label: 'All subscribers', to: paths.subscribers }} />
          ) : (
            <Stack>
              {erasure.finishedAt === null ? (
                <Alert role="status">
                  <Group wrap="nowrap">
                    <Loader size="sm" aria-hidden />
                    <Text size="sm">
                      The subscriber is deleted. Jobs now go through all events and messages of the environment to erase
                      the person. You can leave this page: they continue.
                    </Text>
                  </Group>
                </Alert>
              ) : (
                <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
                  <Text size="sm">Finished: the last trace of the person is erased from events and messages.</Text>
                </Alert>
              )}
              <Mentions count={erasure.mentionCount} mentions={erasure.mentions} />
              <Facts
                facts={{
                  Id: <Copyable value={erasure.id} label="id" />,
                  Requested: <Moment at={erasure.createdAt} />,
                  Finished: erasure.finishedAt === null ? null : <Moment at={erasure.finishedAt} />,
                }}
              />
            </Stack>
          )
        }
      </Answer>
    </Page>
  )
}
