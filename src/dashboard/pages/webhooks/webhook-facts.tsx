// The properties of a webhook subscription, its switch and the rotation of its secret.
import { Button, Group, Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ExactMoment, Moment } from '../../parts/moment.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { useActivation } from './activation.ts'
import { eventTypesInWords } from './event-types.ts'
import { RotateSecret } from './rotate-secret.tsx'
import { WebhookState } from './webhook-state.tsx'
import { contextChoices, type WebhookSubscription } from './webhook-values.ts'

interface WebhookProps {
  readonly webhook: WebhookSubscription
}

function Activity({ webhook }: WebhookProps) {
  const [setActive, pending] = useActivation(webhook)
  return (
    <Group gap="sm">
      <WebhookState webhook={webhook} />
      {useCanWrite() && (
        <Switch
          label="Messages are sent"
          checked={webhook.active}
          disabled={pending}
          onChange={() => void setActive(!webhook.active)}
        />
      )}
    </Group>
  )
}

function Secret({ webhook: { id, formerSecretUntil } }: WebhookProps) {
  const canWrite = useCanWrite()
  const [rotating, { open, close }] = useDisclosure(false)
  return (
    <Group gap="sm">
      <Text inherit span>
        {formerSecretUntil === null ? (
          'Each request is signed with it.'
        ) : (
          <>
            Requests are signed with the former one, too, until <ExactMoment at={formerSecretUntil} />.
          </>
        )}
      </Text>
      {canWrite && (
        <Button size="compact-sm" variant="default" onClick={open}>
          Rotate secret
        </Button>
      )}
      {rotating && <RotateSecret id={id} onClose={close} />}
    </Group>
  )
}

const Contexts = ({ webhook: { contextKeys } }: WebhookProps) => {
  if (contextKeys === null) return contextChoices.ALL
  return contextKeys.length === 0 ? contextChoices.NONE : <ContextLinks keys={contextKeys} />
}

export const WebhookFacts = ({ webhook }: WebhookProps) => (
  <Facts
    facts={{
      Identifier: <Copyable value={webhook.identifier} label="identifier" />,
      State: <Activity webhook={webhook} />,
      URL: webhook.url ?? 'Cannot be decrypted',
      Description: webhook.description,
      'Event types': eventTypesInWords(webhook.eventTypes),
      Content: webhook.includeContent ? 'Included' : 'Not included',
      Contexts: <Contexts webhook={webhook} />,
      Secret: <Secret webhook={webhook} />,
      Created: <Moment at={webhook.createdAt} />,
      Updated: <Moment at={webhook.updatedAt} />,
    }}
  />
)
