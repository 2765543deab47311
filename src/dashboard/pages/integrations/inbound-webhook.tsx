// The URL at which the provider of an integration reports: its state, its set-up and its token.
import { Button, Code, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ShownOnce } from '../../parts/form/shown-once.tsx'
import { showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import type { Integration } from './integration-values.ts'
import { reportSetupOf } from './report-setup.ts'

const rotateTokenMutation = graphql(`
  mutation RotateInboundWebhookToken($input: RotateInboundWebhookTokenInput!) {
    rotateInboundWebhookToken(input: $input) {
      url
      token
      userErrors {
        message
        field
      }
    }
  }
`)

interface NewToken {
  readonly label: string
  readonly copyLabel: string
  readonly value: string
}

/** The button that creates the token of the URL, or replaces it, and then shows the URL with it. */
function RotateToken({ integration: { id, inboundWebhook } }: { readonly integration: Integration }) {
  const [rotateToken, pending] = useAct(rotateTokenMutation)
  const [created, setCreated] = useState<NewToken>()
  const rotate = async () => {
    const outcome = await rotateToken({ integrationId: id })
    if (!outcome.ok) {
      showProblems(outcome.problems)
      return
    }
    const { url, token } = outcome.payload
    if (url !== null) setCreated({ label: 'URL with its token', copyLabel: 'Copy URL', value: url })
    else if (token !== null) setCreated({ label: 'Token', copyLabel: 'Copy token', value: token })
  }
  const ask = () => {
    if (inboundWebhook?.isVerified !== true) {
      void rotate()
      return
    }
    confirmAct({
      title: 'Replace the token?',
      consequence:
        'Reports with the present token are rejected from now on, until the provider has the new URL. This cannot be undone.',
      confirm: 'Replace',
      dismiss: 'Cancel',
      onConfirm: rotate,
    })
  }
  return (
    <>
      <Button size="xs" variant="default" loading={pending} onClick={ask}>
        Create a new token
      </Button>
      {created && (
        <ShownOnce
          title="Token created"
          {...created}
          warning="Copy it now, and enter it at the provider. It cannot be read again, and a former token is invalid."
          onDone={() => setCreated(undefined)}
        />
      )}
    </>
  )
}

type Webhook = NonNullable<Integration['inboundWebhook']>

/** Reports are optional, so a set-up that is not complete is no error. */
function ReportState({ webhook: { isVerified, problem } }: { readonly webhook: Webhook }) {
  if (problem !== null) {
    return (
      <Group gap="xs">
        <StateBadge color="yellow">Not set up</StateBadge>
        <Text inherit span className="wrap-anywhere">
          {problem}
        </Text>
      </Group>
    )
  }
  return (
    <StateBadge color={isVerified ? 'green' : 'gray'}>{isVerified ? 'Verified' : 'No verified report yet'}</StateBadge>
  )
}

export function InboundWebhook({ integration }: { readonly integration: Integration }) {
  const canWrite = useCanWrite()
  const { inboundWebhook, providerId } = integration
  if (inboundWebhook === null) return null
  const { url, needsToken, lastReportAt } = inboundWebhook
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Reports of the provider
        </Title>
        {needsToken && canWrite && <RotateToken integration={integration} />}
      </Group>
      <Facts
        facts={{
          'URL for reports': url === null ? null : <Copyable value={url} label="URL for reports" />,
          State: <ReportState webhook={inboundWebhook} />,
          'Last report': lastReportAt === null ? null : <Moment at={lastReportAt} />,
          'Set-up': (
            <>
              {reportSetupOf(providerId)}{' '}
              <Text span inherit c="dimmed">
                The keys and settings are in <Code>docs/reports.md</Code>.
              </Text>
            </>
          ),
        }}
      />
    </>
  )
}
