// The dialog that creates a subscriber.
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { showDone } from '../../parts/messages.ts'
import { paths } from '../../parts/paths.ts'
import { SubscriberForm } from './subscriber-form.tsx'
import { emptyProfile, profileInput } from './subscriber-values.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createSubscriberMutation = graphql(`
  mutation CreateSubscriber($input: CreateSubscriberInput!) {
    createSubscriber(input: $input) {
      subscriber {
        id
        subscriberId
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export function CreateSubscriber({ onClose }: { readonly onClose: () => void }) {
  const [createSubscriber, pending] = useAct(createSubscriberMutation)
  const navigate = useNavigate()
  return (
    <FormDialog onClose={onClose} size="lg" title="Create subscriber">
      <SubscriberForm
        initial={emptyProfile}
        submitLabel="Create"
        pending={pending}
        onSubmit={async (values) => {
          const outcome = await createSubscriber(profileInput(values))
          if (!outcome.ok) return outcome.problems
          const subscriberId = outcome.payload.subscriber?.subscriberId ?? values.subscriberId
          showDone(`Subscriber ${subscriberId} created.`)
          await navigate(paths.subscriber(subscriberId))
          return []
        }}
      />
    </FormDialog>
  )
}
