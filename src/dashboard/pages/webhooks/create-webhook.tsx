// The dialog that creates a webhook subscription, and then shows its secret.
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { paths } from '../../parts/paths.ts'
import { NewSecret } from './new-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { newWebhook, webhookInput } from './webhook-values.ts'

const createWebhookMutation = graphql(`
  mutation CreateWebhookSubscription($input: CreateWebhookSubscriptionInput!) {
    createWebhookSubscription(input: $input) {
      secret
      webhookSubscription {
        id
        identifier
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface Created {
  readonly identifier: string
  readonly secret: string
}

export function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const [createWebhook, pending] = useAct(createWebhookMutation)
  const [created, setCreated] = useState<Created>()
  const navigate = useNavigate()
  if (created !== undefined) {
    const { identifier, secret } = created
    return (
      <NewSecret
        title={`Webhook subscription ${identifier} created`}
        secret={secret}
        onDone={() => void navigate(paths.webhook(identifier))}
      />
    )
  }
  return (
    <FormDialog onClose={onClose} title="Create webhook subscription">
      <WebhookForm
        initial={newWebhook}
        submitLabel="Create"
        pending={pending}
        onSubmit={async (values) => {
          const { identifier, secret: own } = values
          const outcome = await createWebhook({
            identifier,
            ...webhookInput(values),
            ...(own.trim() !== '' && { secret: own.trim() }),
          })
          if (!outcome.ok) return outcome.problems
          const { secret, webhookSubscription } = outcome.payload
          if (secret === null || webhookSubscription === null) return [{ message: 'The gateway returned no secret.' }]
          setCreated({ identifier: webhookSubscription.identifier, secret })
          return []
        }}
      />
    </FormDialog>
  )
}
