// One context: its data, and what uses it.
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
import { MessagesOverTime } from '../home/messages-over-time.tsx'
import { ContextForm, type ContextValues } from './context-form.tsx'
import { ContextUses } from './context-uses.tsx'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'

const contextQuery = graphql(`
  query Context($key: String!) {
    context(key: $key) {
      id
      key
      type
      identifier
      data
      createdAt
      updatedAt
      version
    }
  }
`)

const updateContextMutation = graphql(`
  mutation UpdateContext($input: UpdateContextInput!) {
    updateContext(input: $input) {
      context {
        id
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

const deleteContextMutation = graphql(`
  mutation DeleteContext($input: DeleteContextInput!) {
    deleteContext(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

type Context = NonNullable<ResultOf<typeof contextQuery>['context']>

const valuesOf = ({ type, identifier, data }: Context): ContextValues => ({ type, identifier, data: formatJson(data) })

export function Component() {
  const { key = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: contextQuery, variables: { key } })
  const [{ data }] = query
  const readAgain = useReadAgain(contextQuery, { key })
  const [updateContext] = useAct(updateContextMutation, readsBack)
  const deleteContext = useDeletion(deleteContextMutation)

  const askToDelete = () =>
    deleteContext(
      { key },
      {
        what: `context ${key}`,
        consequence:
          'Its data is deleted. Events, topic subscriptions and channel endpoints keep its key. The next write with the key creates the context again, without data. This cannot be undone.',
        list: paths.contexts,
      },
    )

  const actions = canWrite && data?.context && <EditAndDelete onEdit={open} onDelete={askToDelete} />
  return (
    <Page title={key} parent={{ label: 'Contexts', to: paths.contexts }} actions={actions}>
      <Answer query={query}>
        {({ context }) =>
          context === null ? (
            <Missing what={`context with the key ${key}`} list={{ label: 'All contexts', to: paths.contexts }} />
          ) : (
            <>
              <Facts
                facts={{
                  Key: <Copyable value={context.key} label="key" />,
                  Type: context.type,
                  Identifier: context.identifier,
                  Data: <JsonBlock value={context.data} label="Data" />,
                  Created: <Moment at={context.createdAt} />,
                  Updated: <Moment at={context.updatedAt} />,
                }}
              />
              {editing && (
                <EditDialog
                  title="Edit context"
                  what={`context ${key}`}
                  stored={context}
                  valuesOf={valuesOf}
                  labels={{ data: 'Data' }}
                  read={async () => (await readAgain())?.context}
                  save={async ({ data: text }, { version }) => {
                    const outcome = await updateContext({
                      key,
                      data: parseJsonObject(text),
                      expectedVersion: version,
                    })
                    if (!outcome.ok) return outcome.problems
                    showDone('Context saved.')
                    return []
                  }}
                  onClose={close}
                >
                  {(form) => <ContextForm {...form} keyIsFixed />}
                </EditDialog>
              )}
            </>
          )
        }
      </Answer>
      <MessagesOverTime contextKey={key} />
      <ContextUses contextKey={key} />
    </Page>
  )
}
