// The erasure of a person: whether it has finished.
import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { usePolling } from '../../parts/polling.ts'

const erasureQuery = graphql(`
  query Erasure($id: ID!) {
    erasure(id: $id) {
      id
      createdAt
      finishedAt
    }
  }
`)

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
                  <Text size="sm">Finished: the last trace of the person is erased.</Text>
                </Alert>
              )}
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
