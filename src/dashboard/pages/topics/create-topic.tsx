// The dialog that creates a topic.
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { showDone } from '../../parts/messages.ts'
import { parseJsonObject } from '../../parts/form/json-object.ts'
import { paths } from '../../parts/paths.ts'
import { TopicForm } from './topic-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createTopicMutation = graphql(`
  mutation CreateTopic($input: CreateTopicInput!) {
    createTopic(input: $input) {
      topic {
        id
        key
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export function CreateTopic({ onClose }: { readonly onClose: () => void }) {
  const [createTopic, pending] = useAct(createTopicMutation)
  const navigate = useNavigate()
  return (
    <FormDialog onClose={onClose} title="Create topic">
      <TopicForm
        initial={{ key: '', name: '', data: '{}' }}
        submitLabel="Create"
        pending={pending}
        onSubmit={async ({ key, name, data }) => {
          const outcome = await createTopic({ key, name: name === '' ? null : name, data: parseJsonObject(data) })
          if (!outcome.ok) return outcome.problems
          showDone(`Topic ${key} created.`)
          await navigate(paths.topic(key))
          return []
        }}
      />
    </FormDialog>
  )
}
