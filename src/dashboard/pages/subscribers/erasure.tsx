// The erasure of a person: whether it has finished.
import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useEffect } from 'react'
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

const erasureQuery = graphql(`
  query Erasure($id: ID!) {
    erasure(id: $id) {
      id
      createdAt
      finishedAt
    }
  }
`)

/** Time between two looks at an erasure that has not finished, in milliseconds. */
const INTERVAL = 1_000

export function Component() {
  const { id = '' } = useParams()
  const [{ data, error }, refresh] = useQuery({ query: erasureQuery, variables: { id } })
  const isUnderWay = data?.erasure?.finishedAt === null

  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => refresh({ requestPolicy: 'network-only' }), INTERVAL)
    return () => clearInterval(timer)
  }, [isUnderWay, refresh])

  return (
    <Page title="Erasure of a person" parent={{ label: 'Subscribers', to: paths.subscribers }}>
      <Answer data={data} error={error} onRetry={() => refresh({ requestPolicy: 'network-only' })}>
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
