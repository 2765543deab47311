// The rights of a person: a copy of all stored data, and its erasure.
import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconEraser } from '@tabler/icons-react'
import { useState } from 'react'
import { useOutletContext, useParams } from 'react-router'
import { useClient } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { type Problem, problemOf } from '../../graph/problem.ts'
import { download } from '../../parts/download.ts'
import { formatJson } from '../../parts/form/json-object.ts'
import { showDone } from '../../parts/messages.ts'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { EraseDialog } from './erase-dialog.tsx'

const exportQuery = graphql(`
  query ExportSubscriber($subscriberId: String!) {
    subscriberExport(subscriberId: $subscriberId)
  }
`)

export function Component() {
  const { subscriberId = '' } = useParams()
  const exists = useOutletContext<boolean>()
  const [erasing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  return (
    <Stack>
      {exists && <Export subscriberId={subscriberId} />}
      {canWrite && (
        <Paper component="section" withBorder p="md">
          <Stack align="flex-start">
            <Title order={2} size="h4">
              Erase the person
            </Title>
            <Text maw={640}>
              Deletes the subscriber if it exists. Then its id, addresses and names are replaced everywhere in this
              environment: in events, messages, notifications and stored responses. Payloads of events for this person
              alone are removed. This cannot be undone.
            </Text>
            <Button color="red.9" leftSection={<IconEraser size={16} aria-hidden />} onClick={open}>
              Erase the person
            </Button>
          </Stack>
        </Paper>
      )}
      {erasing && <EraseDialog subscriberId={subscriberId} onClose={close} />}
    </Stack>
  )
}

function Export({ subscriberId }: { readonly subscriberId: string }) {
  const client = useClient()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const [truncated, setTruncated] = useState<readonly string[]>([])

  const run = async () => {
    setPending(true)
    const { data, error } = await client.query(exportQuery, { subscriberId }, { requestPolicy: 'network-only' })
    setPending(false)
    setProblem(error && problemOf(error))
    if (data === undefined) return
    const { truncated: lists } = data.subscriberExport
    setTruncated(Array.isArray(lists) ? lists.map(String) : [])
    download(`${subscriberId}.json`, 'application/json', formatJson(data.subscriberExport))
    showDone('Export downloaded.')
  }

  return (
    <Paper component="section" withBorder p="md">
      <Stack align="flex-start">
        <Title order={2} size="h4">
          Export
        </Title>
        <Text maw={640}>
          One JSON document with everything about the subscriber: profile, endpoints, subscriptions, preferences,
          notifications, and events with their runs. Secrets such as device tokens are left out.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        {truncated.length > 0 && (
          <Alert color="yellow">
            The export is not complete. These lists have more than 10,000 items, and end there: {truncated.join(', ')}.
          </Alert>
        )}
        <Group>
          <Button
            variant="default"
            loading={pending}
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => void run()}
          >
            Download the export
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}
