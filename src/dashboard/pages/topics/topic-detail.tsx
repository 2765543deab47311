// One topic: its properties and its subscriptions.
import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { useDeletion } from '../../parts/action/deletion.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { formatJson, parseJsonObject } from '../../parts/form/json-object.ts'
import { showDone } from '../../parts/messages.ts'
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
  const query = useQuery({ query: topicQuery, variables: { key } })
  const [{ data }] = query
  const [updateTopic, updating] = useAct(updateTopicMutation)
  const deleteTopic = useDeletion(deleteTopicMutation)

  const askToDelete = () =>
    deleteTopic(
      { key },
      {
        what: `topic ${key}`,
        consequence: 'Its subscriptions are deleted too. Subscribers and past messages stay. This cannot be undone.',
        list: paths.topics,
      },
    )

  const actions = canWrite && data?.topic && <EditAndDelete onEdit={open} onDelete={askToDelete} />
  return (
    <Page title={data?.topic?.name ?? key} parent={{ label: 'Topics', to: paths.topics }} actions={actions}>
      <Answer query={query}>
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
                <Modal opened onClose={close} title="Edit topic">
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
