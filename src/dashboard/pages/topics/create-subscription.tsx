// The dialog that subscribes a subscriber to a topic.
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { contextInputs } from '../../parts/form/context-keys-input.tsx'
import { showDone } from '../../parts/messages.ts'
import { preferenceInput } from './preference-entries.ts'
import { SubscriptionForm } from './subscription-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const createTopicSubscriptionsMutation = graphql(`
  mutation CreateTopicSubscriptions($input: CreateTopicSubscriptionsInput!) {
    createTopicSubscriptions(input: $input) {
      topicSubscriptions {
        id
      }
      failed {
        message
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface CreateSubscriptionProps {
  readonly topicKey: string
  readonly onClose: () => void
}

export function CreateSubscription({ topicKey, onClose }: CreateSubscriptionProps) {
  const [createSubscriptions, pending] = useAct(createTopicSubscriptionsMutation)
  return (
    <FormDialog onClose={onClose} title="Add subscription">
      <SubscriptionForm
        initial={{ subscriberId: null, identifier: '', name: '', contexts: [], preferences: [] }}
        submitLabel="Add"
        pending={pending}
        onSubmit={async ({ subscriberId, identifier, name, contexts, preferences }) => {
          if (subscriberId === null) return []
          const outcome = await createSubscriptions({
            topicKey,
            subscriptions: [
              {
                subscriberId,
                identifier: identifier === '' ? null : identifier,
                name: name === '' ? null : name,
              },
            ],
            contexts: contextInputs(contexts),
            preferences: preferences.map(preferenceInput),
          })
          if (!outcome.ok) return outcome.problems
          const { failed } = outcome.payload
          if (failed !== null && failed.length > 0) return failed
          showDone(`${subscriberId} is subscribed.`)
          onClose()
          return []
        }}
      />
    </FormDialog>
  )
}
