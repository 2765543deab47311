// The credentials of a subscriber for one provider or one of its integrations.
import { ActionIcon, Anchor, Badge, Button, Group, Paper, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Copyable } from '../../parts/copyable.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'

interface Credential {
  readonly integrationIdentifier: string | null
  readonly deviceTokens: readonly string[]
  readonly webhookUrl: string | null
}

interface CredentialCardProps {
  readonly credential: Credential
  readonly providerName: string
  readonly onAppend: () => void
  readonly onReplace: () => void
  readonly onRemoveToken: (token: string) => Promise<void>
  readonly onDelete: () => void
}

export function CredentialCard({ credential, providerName, ...props }: CredentialCardProps) {
  const { integrationIdentifier, deviceTokens, webhookUrl } = credential
  const canWrite = useCanWrite()
  return (
    <Paper component="section" withBorder p="md" aria-label={`Credentials for ${providerName}`}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div style={{ minWidth: 0 }}>
            <Title order={2} size="h5">
              {providerName}
            </Title>
            {integrationIdentifier === null ? (
              <Text size="sm" c="dimmed">
                for all integrations
              </Text>
            ) : (
              <Text size="sm" c="dimmed">
                for the integration{' '}
                <Anchor
                  inherit
                  component={Link}
                  to={paths.integration(integrationIdentifier)}
                  className="wrap-anywhere"
                >
                  {integrationIdentifier}
                </Anchor>
              </Text>
            )}
          </div>
          {canWrite && (
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={props.onAppend}>
                Append
              </Button>
              <Button size="xs" variant="default" onClick={props.onReplace}>
                Replace
              </Button>
              <Button size="xs" variant="default" onClick={props.onDelete}>
                Delete
              </Button>
            </Group>
          )}
        </Group>
        {webhookUrl !== null && (
          <Group gap="xs" wrap="nowrap">
            <Kind>webhook</Kind>
            <Copyable value={webhookUrl} label="webhook URL" />
          </Group>
        )}
        {deviceTokens.map((token) => (
          <Group key={token} gap="xs" wrap="nowrap">
            <Kind>device</Kind>
            <Copyable value={token} label="device token" />
            {canWrite && (
              <Tooltip label="Remove this device token">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Remove the device token ${token}`}
                  onClick={() => void props.onRemoveToken(token)}
                >
                  <IconX size={14} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        ))}
        {webhookUrl === null && deviceTokens.length === 0 && (
          <Text c="dimmed">Neither a device token nor a webhook URL.</Text>
        )}
      </Stack>
    </Paper>
  )
}

function Kind({ children }: { readonly children: string }) {
  return (
    <Badge variant="default" miw={90} style={{ flexShrink: 0 }}>
      {children}
    </Badge>
  )
}
