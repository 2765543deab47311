// One topic: its properties and its subscriptions.
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
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
import { TopicForm, type TopicValues } from './topic-form.tsx'
import { TopicSubscriptions } from './topic-subscriptions.tsx'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'

const topicQuery = graphql(`
  query Topic($key: String!) {
    topic(key: $key) {
      id
      key
      name
      data
      createdAt
      updatedAt
      version
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
        version
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

type Topic = NonNullable<ResultOf<typeof topicQuery>['topic']>

const valuesOf = ({ key, name, data }: Topic): TopicValues => ({ key, name: name ?? '', data: formatJson(data) })

export function Component() {
  const { key = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: topicQuery, variables: { key } })
  const [{ data }] = query
  const readAgain = useReadAgain(topicQuery, { key })
  const [updateTopic] = useAct(updateTopicMutation, readsBack)
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
                <EditDialog
                  title="Edit topic"
                  what={`topic ${key}`}
                  stored={topic}
                  valuesOf={valuesOf}
                  labels={{ name: 'Name', data: 'Data' }}
                  read={async () => (await readAgain())?.topic}
                  save={async ({ name, data: text }, { version }) => {
                    const outcome = await updateTopic({
                      key,
                      name: name === '' ? null : name,
                      data: parseJsonObject(text),
                      expectedVersion: version,
                    })
                    if (!outcome.ok) return outcome.problems
                    showDone('Topic saved.')
                    return []
                  }}
                  onClose={close}
                >
                  {(form) => <TopicForm {...form} keyIsFixed />}
                </EditDialog>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
