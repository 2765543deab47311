// One message to one destination: its content, and each attempt with the provider's response.
import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { attemptFields, Attempts } from './attempts.tsx'
import { EmailEnvelope, envelopeFields } from './email-envelope.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { pauseFields, Waiting } from '../../parts/paused.tsx'
import { ReceiptBadge } from '../../parts/badge/receipt-badge.tsx'
import { MessageBadge } from '../../parts/badge/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CopyText } from '../../parts/copyable.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { MessageContent } from './message-content.tsx'
import { Receipt, receiptFields } from './receipt.tsx'
import { routeReasons } from './route-reasons.ts'

export const deliveryFields = graphql(
  `
    fragment DeliveryFields on Delivery @_unmask {
      id
      destination
      providerId
      integrationIdentifier
      status
      isCaptured
      overrides
      channel
      subject
      body
      email {
        ...EnvelopeFields
      }
      createdAt
      nextAttemptAt
      rateLimitedUntil
      circuitOpenUntil
      routes {
        integrationIdentifier
        leftReason
      }
      incidentKey
      incidentAction
      expiresAt
      timeLimitAt
      pause {
        ...PauseFields
      }
      attempts {
        ...AttemptFields
      }
      ...ReceiptFields
    }
  `,
  [attemptFields, envelopeFields, pauseFields, receiptFields],
)

type Delivery = ResultOf<typeof deliveryFields>

const retryDeliveryMutation = graphql(`
  mutation RetryDelivery($input: RetryDeliveryInput!) {
    retryDelivery(input: $input) {
      delivery {
        id
        status
      }
      userErrors {
        message
        field
      }
    }
  }
`)

export function DeliveryCard({ delivery }: { readonly delivery: Delivery }) {
  const canWrite = useCanWrite()
  const [retryDelivery, retrying] = useAct(retryDeliveryMutation)
  const { id, destination, providerId, integrationIdentifier, status, channel, subject, body } = delivery
  const { incidentKey, incidentAction, pause, attempts, nextAttemptAt, rateLimitedUntil, expiresAt, timeLimitAt } =
    delivery
  const { circuitOpenUntil, routes, isCaptured, overrides } = delivery

  const retry = async () => {
    const outcome = await retryDelivery({ id })
    if (outcome.ok) showDone('The message is sent again.')
    else showProblems(outcome.problems)
  }

  return (
    <Paper withBorder p="sm" component="section" aria-label={`Message to ${destination}`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" className="wrap-anywhere">
            To <b>{destination}</b>{' '}
            {providerId !== 'CAPTURE' && (
              <>
                through{' '}
                <Anchor inherit underline="always" component={Link} to={paths.integration(integrationIdentifier)}>
                  {integrationIdentifier}
                </Anchor>{' '}
                ({providerId}){' '}
              </>
            )}
            <CopyText value={destination} label="destination" />
          </Text>
          <Group gap="xs">
            {isCaptured && (
              <Anchor size="sm" component={Link} to={paths.capturedMessage(id)}>
                Captured, not sent
              </Anchor>
            )}
            <MessageBadge message={delivery} />
            <ReceiptBadge state={delivery.receipt.state} />
            {canWrite && status === 'FAILED' && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={retrying}
                onClick={() => void retry()}
              >
                Retry message
              </Button>
            )}
          </Group>
        </Group>
        <MessageContent subject={subject} body={body} html={channel === 'EMAIL'} />
        {incidentKey !== null && (
          <Text size="sm" className="wrap-anywhere">
            Incident <b>{incidentKey}</b>: {incidentAction?.toLowerCase()}
          </Text>
        )}
        {pause && <Waiting pause={pause} />}
        {!pause && rateLimitedUntil !== null && (
          <Text size="sm" className="wrap-anywhere">
            Waits for the rate limit of the integration {integrationIdentifier}, which allows messages again{' '}
            <Moment at={rateLimitedUntil} />.
          </Text>
        )}
        {!pause && circuitOpenUntil !== null && (
          <Text size="sm" className="wrap-anywhere">
            Waits, because the provider of {integrationIdentifier} is down. The next probe follows{' '}
            <Moment at={circuitOpenUntil} />.
          </Text>
        )}
        {routes
          .filter(({ leftReason }) => leftReason === 'CIRCUIT_OPEN')
          .map((route) => (
            <Text key={route.integrationIdentifier} size="sm" className="wrap-anywhere">
              {route.integrationIdentifier} was left, because {routeReasons.CIRCUIT_OPEN}.
            </Text>
          ))}
        {attempts.length === 0 ? (
          <Text size="sm" c="dimmed">
            No attempt yet.
          </Text>
        ) : (
          <Attempts attempts={attempts} several={routes.length > 1} />
        )}
        <Receipt delivery={delivery} />
        {nextAttemptAt !== null && (
          <Text size="sm">
            The next attempt follows <Moment at={nextAttemptAt} />.
          </Text>
        )}
        {status === 'PENDING' && timeLimitAt !== null && (
          <Text size="sm">
            The time limit ends <Moment at={timeLimitAt} />.
          </Text>
        )}
        {status === 'PENDING' && expiresAt !== null && (
          <Text size="sm">
            The message expires <Moment at={expiresAt} />.
          </Text>
        )}
        {/* Below the attempts, so that the answer of a provider that rejected the message is seen without scrolling. */}
        {delivery.email && <EmailEnvelope envelope={delivery.email} />}
        {overrides !== null && <Overrides overrides={overrides} />}
      </Stack>
    </Paper>
  )
}

/** What the trigger has changed in the request to the provider. */
function Overrides({ overrides }: { readonly overrides: Record<string, unknown> }) {
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <div>
      <Button variant="subtle" size="compact-xs" aria-expanded={opened} onClick={toggle}>
        {opened ? 'Hide overrides' : 'Show overrides'}
      </Button>
      {opened && (
        <>
          <Text size="xs" c="dimmed">
            The trigger adds this to the request to the provider.
          </Text>
          <JsonBlock value={overrides} label="Overrides of the message" />
        </>
      )}
    </div>
  )
}
