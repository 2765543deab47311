// The dialog that adds, extends or replaces a subscriber's credentials.
import { Select, Text, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { showDone } from '../../parts/messages.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const integrationsQuery = graphql(`
  query IntegrationsOfProvider($filter: IntegrationFilter) {
    integrations(first: 100, filter: $filter) {
      nodes {
        id
        identifier
        name
        providerId
      }
    }
  }
`)

/** Replaces the credentials of a subscriber for a provider. */
export const setCredentialsMutation = graphql(`
  mutation SetSubscriberCredentials($input: SetSubscriberCredentialsInput!) {
    setSubscriberCredentials(input: $input) {
      subscriber {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const appendCredentialsMutation = graphql(`
  mutation AppendSubscriberCredentials($input: AppendSubscriberCredentialsInput!) {
    appendSubscriberCredentials(input: $input) {
      subscriber {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

type ProviderId = ResultOf<typeof integrationsQuery>['integrations']['nodes'][number]['providerId']

interface Credential {
  readonly providerId: ProviderId
  readonly integrationIdentifier: string | null
  readonly deviceTokens: readonly string[]
  readonly webhookUrl: string | null
}

interface CredentialProvider {
  readonly providerId: ProviderId
  readonly name: string
  readonly channel: string
  readonly destinations: readonly string[]
}

/** The purpose of the dialog: to add credentials for a provider of choice, or to change existing credentials. */
export type Change = { readonly kind: 'add' } | { readonly kind: 'append' | 'replace'; readonly credential: Credential }

const titles = { add: 'Add credentials', append: 'Append credentials', replace: 'Replace credentials' } as const

const explanations = {
  add: 'Device tokens are added to those that the subscriber has. A webhook URL replaces the current one.',
  append: 'Device tokens are added to the current ones. A webhook URL replaces the current one.',
  replace: 'What is not listed here is deleted.',
} as const

interface CredentialDialogProps {
  readonly subscriberId: string
  readonly change: Change
  readonly providers: readonly CredentialProvider[]
  readonly onClose: () => void
}

export function CredentialDialog({ subscriberId, change, providers, onClose }: CredentialDialogProps) {
  const existing = change.kind === 'add' ? undefined : change.credential
  const replaces = change.kind === 'replace'
  const [setCredentials, setting] = useAct(setCredentialsMutation)
  const [appendCredentials, appending] = useAct(appendCredentialsMutation)
  const form = useForm({
    initialValues: {
      providerId: existing?.providerId ?? '',
      integrationIdentifier: existing?.integrationIdentifier ?? '',
      deviceTokens: replaces ? (existing?.deviceTokens.join('\n') ?? '') : '',
      webhookUrl: replaces ? (existing?.webhookUrl ?? '') : '',
    },
    validate: { providerId: isNotEmpty('Choose a provider.') },
  })
  const [problems, report] = useFormProblems(form)
  const chosen = providers.find(({ providerId }) => providerId === form.values.providerId)
  const providerId = existing?.providerId ?? chosen?.providerId
  const [{ data }] = useQuery({
    query: integrationsQuery,
    variables: { filter: { providerId: providerId ?? null } },
    pause: providerId === undefined,
  })
  // Existing credentials keep both fields, even if the gateway can no longer send through the provider.
  const takes = (kind: string) => existing !== undefined || chosen?.destinations.includes(kind) === true

  const submit = async (values: typeof form.values) => {
    if (providerId === undefined) return
    const deviceTokens = values.deviceTokens.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
    const webhookUrl = values.webhookUrl.trim() === '' ? null : values.webhookUrl.trim()
    if (deviceTokens.length === 0 && webhookUrl === null) {
      report([{ message: 'Enter a device token or a webhook URL. To remove the credentials, delete them.' }])
      return
    }
    const integrationIdentifier = values.integrationIdentifier === '' ? null : values.integrationIdentifier
    const input = { subscriberId, providerId, integrationIdentifier, credentials: { deviceTokens, webhookUrl } }
    const outcome = await (replaces ? setCredentials(input) : appendCredentials(input))
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    showDone('Credentials saved.')
    onClose()
  }

  return (
    <FormDialog onClose={onClose} title={titles[change.kind]}>
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm" c="dimmed">
          {explanations[change.kind]}
        </Text>
        {existing === undefined && (
          <>
            <Select
              label="Provider"
              required
              searchable
              data-autofocus
              nothingFoundMessage="No chat or push provider matches"
              data={[
                { group: 'Push', items: optionsOf(providers, 'PUSH') },
                { group: 'Chat', items: optionsOf(providers, 'CHAT') },
              ]}
              {...form.getInputProps('providerId')}
              onChange={(next: string | null) => form.setValues({ providerId: next ?? '', integrationIdentifier: '' })}
            />
            <Select
              label="Integration"
              disabled={providerId === undefined}
              data={[
                { value: '', label: 'All integrations of the provider' },
                ...(data?.integrations.nodes ?? []).map(({ identifier, name }) => ({
                  value: identifier,
                  label: name === identifier ? name : `${name} (${identifier})`,
                })),
              ]}
              allowDeselect={false}
              {...form.getInputProps('integrationIdentifier')}
            />
          </>
        )}
        {takes('DEVICE') && (
          <Textarea
            label="Device tokens"
            description="One on each line: at most 100."
            autosize
            minRows={2}
            maxRows={10}
            {...form.getInputProps('deviceTokens')}
          />
        )}
        {takes('WEBHOOK') && (
          <TextInput
            label="Webhook URL"
            placeholder="https://chat.example.com/hooks/123"
            {...form.getInputProps('webhookUrl')}
          />
        )}
        <FormEnd problems={problems} submitLabel="Save" pending={setting || appending} />
      </DialogForm>
    </FormDialog>
  )
}

const optionsOf = (providers: readonly CredentialProvider[], wanted: string) =>
  providers
    .filter(({ channel }) => channel === wanted)
    .map(({ providerId, name }) => ({ value: providerId, label: name }))
