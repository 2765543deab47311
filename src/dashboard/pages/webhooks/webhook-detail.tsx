// One webhook subscription: its properties, its state and the log of its messages.
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSend } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { readsBack, useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { useReadAgain } from '../../graph/read-again.ts'
import { useDeletion } from '../../parts/action/deletion.ts'
import { EditAndDelete } from '../../parts/action/edit-and-delete.tsx'
import { Answer } from '../../parts/answer.tsx'
import { EditDialog } from '../../parts/form/edit-dialog.tsx'
import { showDone } from '../../parts/messages.ts'
import { Missing } from '../../parts/missing.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { eventTypesInWords } from './event-types.ts'
import { SendTest } from './send-test.tsx'
import { updateWebhookMutation } from './update-webhook.ts'
import { WebhookFacts } from './webhook-facts.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookBanner } from './webhook-state.tsx'
import { contextChoices, webhookFields, webhookInput, webhookValues } from './webhook-values.ts'

const webhookQuery = graphql(
  `
    query WebhookSubscription($identifier: String!) {
      webhookSubscription(identifier: $identifier) {
        ...WebhookFields
      }
    }
  `,
  [webhookFields],
)

const deleteWebhookMutation = graphql(`
  mutation DeleteWebhookSubscription($input: DeleteWebhookSubscriptionInput!) {
    deleteWebhookSubscription(input: $input) {
      deletedId
      userErrors {
        message
        field
      }
    }
  }
`)

const labels = {
  url: 'URL',
  eventTypes: 'Event types',
  description: 'Description',
  includeContent: 'Include content',
  contexts: 'Filter by contexts',
  contextKeys: 'Contexts',
}

export function Component() {
  const { identifier = '' } = useParams()
  const [editing, edit] = useDisclosure(false)
  const [testing, test] = useDisclosure(false)
  const canWrite = useCanWrite()
  const query = useQuery({ query: webhookQuery, variables: { identifier } })
  const [{ data }] = query
  const readAgain = useReadAgain(webhookQuery, { identifier })
  const [updateWebhook] = useAct(updateWebhookMutation, readsBack)
  const deleteWebhook = useDeletion(deleteWebhookMutation)
  const askToDelete = () =>
    deleteWebhook(
      { identifier },
      {
        what: `webhook subscription ${identifier}`,
        consequence: 'Its log and its pending messages are deleted too. This cannot be undone.',
        list: paths.webhooks,
      },
    )
  const found = data?.webhookSubscription
  const actions = canWrite && found && (
    <>
      {found.active && (
        <Button leftSection={<IconSend size={16} aria-hidden />} onClick={test.open}>
          Send a test message
        </Button>
      )}
      <EditAndDelete onEdit={edit.open} onDelete={askToDelete} />
    </>
  )
  return (
    <Page title={identifier} parent={{ label: 'Webhooks', to: paths.webhooks }} actions={actions}>
      <Answer query={query}>
        {({ webhookSubscription: webhook }) =>
          webhook === null ? (
            <Missing
              what={`webhook subscription with the identifier ${identifier}`}
              list={{ label: 'All webhook subscriptions', to: paths.webhooks }}
            />
          ) : (
            <>
              <WebhookBanner webhook={webhook} canWrite={canWrite} />
              <WebhookFacts webhook={webhook} />
              <DeliveryLog webhook={webhook} onStateChange={() => void readAgain()} />
              {testing && <SendTest webhook={webhook} onClose={test.close} />}
              {editing && (
                <EditDialog
                  title="Edit webhook subscription"
                  what={`webhook subscription ${identifier}`}
                  stored={webhook}
                  valuesOf={webhookValues}
                  labels={labels}
                  shown={(values) => ({
                    ...values,
                    eventTypes: eventTypesInWords(values.eventTypes),
                    contexts: contextChoices[values.contexts],
                  })}
                  read={async () => (await readAgain())?.webhookSubscription}
                  save={async (values, { version }) => {
                    const outcome = await updateWebhook({
                      identifier,
                      ...webhookInput(values),
                      expectedVersion: version,
                    })
                    if (!outcome.ok) return outcome.problems
                    showDone('Webhook subscription saved.')
                    return []
                  }}
                  onClose={edit.close}
                >
                  {(form) => <WebhookForm {...form} identifierIsFixed />}
                </EditDialog>
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
