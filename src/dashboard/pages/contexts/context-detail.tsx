// One context: its data, and what uses it.
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
import { ContextForm } from './context-form.tsx'
import { ContextUses } from './context-uses.tsx'

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

export function Component() {
  const { key = '' } = useParams()
  const [editing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: contextQuery, variables: { key } })
  const [{ data }] = query
  const [updateContext, updating] = useAct(updateContextMutation)
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
                <Modal opened onClose={close} title="Edit context">
                  <ContextForm
                    initial={{ type: context.type, identifier: context.identifier, data: formatJson(context.data) }}
                    keyIsFixed
                    submitLabel="Save"
                    pending={updating}
                    onSubmit={async ({ data: text }) => {
                      const outcome = await updateContext({ key, data: parseJsonObject(text) })
                      if (!outcome.ok) return outcome.problems
                      showDone('Context saved.')
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
      <ContextUses contextKey={key} />
    </Page>
  )
}
