// One topic: its properties and its subscriptions.
import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { confirmDelete } from '../../parts/confirm-delete.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { formatJson, parseJsonObject } from '../../parts/json-object.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { TopicForm } from './topic-form.tsx'
import { TopicSubscriptions } from './topic-subscriptions.tsx'

const topicQuery = graphql(`
  query Topic($key: String!) {
    topic(key: $key) {
      id
      key
      name
      data
      createdAt
      updatedAt
    }
  }
`)

const updateTopicMutation = graphql(`
  mutation UpdateTopic($input: UpdateTopicInput!) {
    updateTopic(input: $input) {
      topic {
        id
        name
        data
        updatedAt
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const deleteTopicMutation = graphql(`
  mutation DeleteTopic($input: DeleteTopicInput!) {
    deleteTopic(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

export function Component() {
  const { key = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const [{ data, error }, refresh] = useQuery({ query: topicQuery, variables: { key } })
  const [updateTopic, updating] = useAct(updateTopicMutation)
  const [deleteTopic] = useAct(deleteTopicMutation)

  const askToDelete = () =>
    confirmDelete({
      what: `topic ${key}`,
      consequence: 'Its subscriptions are deleted too. Subscribers and past messages stay. This cannot be undone.',
      onConfirm: async () => {
        const outcome = await deleteTopic({ key })
        if (!outcome.ok) {
          showProblems(outcome.problems)
          return
        }
        showDone(`Topic ${key} deleted.`)
        await navigate(paths.topics)
      },
    })

  const actions = canWrite && data?.topic && (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={open}>
        Edit
      </Button>
      <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={askToDelete}>
        Delete
      </Button>
    </>
  )
  return (
    <Page title={data?.topic?.name ?? key} parent={{ label: 'Topics', to: paths.topics }} actions={actions}>
      <Answer data={data} error={error} onRetry={() => refresh({ requestPolicy: 'network-only' })}>
        {({ topic }) =>
          topic === null ? (
            <Missing what={`topic with the key ${key}`} list={{ label: 'All topics', to: paths.topics }} />
          ) : (
            <>
              <Facts
                facts={{
                  Key: <Copyable value={topic.key} label="key" />,
                  Name: topic.name,
                  Data: <JsonBlock value={topic.data} label="Data" />,
                  Created: <Moment at={topic.createdAt} />,
                  Updated: <Moment at={topic.updatedAt} />,
                }}
              />
              <TopicSubscriptions topicKey={topic.key} />
              {editing && (
                <Modal opened onClose={close} title="Edit topic" closeButtonProps={{ 'aria-label': 'Close' }}>
                  <TopicForm
                    initial={{ key: topic.key, name: topic.name ?? '', data: formatJson(topic.data) }}
                    keyIsFixed
                    submitLabel="Save"
                    pending={updating}
                    onSubmit={async ({ name, data: text }) => {
                      const outcome = await updateTopic({
                        key,
                        name: name === '' ? null : name,
                        data: parseJsonObject(text),
                      })
                      if (!outcome.ok) return outcome.problems
                      showDone('Topic saved.')
                      close()
                      return []
                    }}
                  />
                </Modal>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
