// The properties, switches and settings of an integration.
import { Switch, Text, Title } from '@mantine/core'
import { readsBack, useAct } from '../../graph/act.ts'
import { channelLabels } from '../../parts/channel-labels.ts'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { useProviders } from '../../parts/providers.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CircuitState } from './circuit-state.tsx'
import { hasFallbacks, hiddenIn, type Integration, type Setting, settingsOf } from './integration-values.ts'
import { rateInWords } from './rate-limit.ts'
import { updateIntegrationMutation } from './update-integration.ts'

interface FlagProps {
  readonly integration: Integration
  readonly name: 'active' | 'primary' | 'isFallback' | 'fallbackAfterTimeout'
  readonly label: string
}

/** A property that can be switched directly. Read-only users see yes or no. */
function Flag({ integration, name, label }: FlagProps) {
  const canWrite = useCanWrite()
  const [updateIntegration, pending] = useAct(updateIntegrationMutation, readsBack)
  const checked = integration[name]
  if (!canWrite) return checked ? 'Yes' : 'No'
  const change = async () => {
    const outcome = await updateIntegration({ id: integration.id, [name]: !checked })
    if (outcome.ok) showDone('Integration saved.')
    else showProblems(outcome.problems)
  }
  return <Switch label={label} checked={checked} disabled={pending} onChange={() => void change()} />
}

function SettingValue({ setting, integration }: { readonly setting: Setting; readonly integration: Integration }) {
  const stored = integration.settings.find(({ name }) => name === setting.name)
  if (stored?.value != null) return stored.value
  if (stored?.isSet === true) return <StateBadge color="green">Set</StateBadge>
  if (setting.required) return <StateBadge color="red">Missing</StateBadge>
  return (
    <Text inherit span c="dimmed">
      {setting.default === null ? 'not set' : `${setting.default} (default)`}
    </Text>
  )
}

export function IntegrationFacts({ integration }: { readonly integration: Integration }) {
  const provider = useProviders().find(({ providerId }) => providerId === integration.providerId)
  const settings = settingsOf(provider, hiddenIn(integration))
  return (
    <>
      <Facts
        facts={{
          Identifier: <Copyable value={integration.identifier} label="identifier" />,
          Provider: provider?.name ?? integration.providerId,
          Channel: channelLabels[integration.channel],
          Active: <Flag integration={integration} name="active" label="Messages are sent through it" />,
          Primary: (
            <Flag
              integration={integration}
              name="primary"
              label={`Preferred for the channel ${channelLabels[integration.channel]}`}
            />
          ),
          ...(hasFallbacks(integration) && {
            Fallback: (
              <Flag integration={integration} name="isFallback" label="Used if the other integrations cannot send" />
            ),
            'After a timeout': (
              <Flag
                integration={integration}
                name="fallbackAfterTimeout"
                label="The next integration is tried, so a message may arrive twice"
              />
            ),
          }),
          Circuit: <CircuitState integration={integration} />,
          Conditions: integration.conditions && <JsonBlock value={integration.conditions} label="Conditions" />,
          'Rate limit': integration.rateLimit && rateInWords(integration.rateLimit),
          Created: <Moment at={integration.createdAt} />,
          Updated: <Moment at={integration.updatedAt} />,
        }}
      />
      <Title order={2} size="h4">
        Settings
      </Title>
      {settings.length === 0 ? (
        <Text c="dimmed">The provider has no settings: the channel endpoints say where the messages go.</Text>
      ) : (
        <Facts
          facts={Object.fromEntries(
            settings.map((setting) => [
              setting.label,
              <SettingValue key={setting.name} setting={setting} integration={integration} />,
            ]),
          )}
        />
      )}
    </>
  )
}
