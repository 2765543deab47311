// One webhook message for a subscription: its attempts with their responses, and the body of the request.
import { Code, Paper, Stack, Text, Title } from '@mantine/core'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { TextBlock } from '../../parts/json-block.tsx'
import { Missing } from '../../parts/missing.tsx'
import { ExactMoment, Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { RowLink } from '../../parts/row-link.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { useComingAttempt } from './coming-attempt.ts'
import { WebhookStatusBadge } from './delivery-status.tsx'
import { eventTypeLabel } from './event-types.ts'
import { RetryWebhook } from './retry-webhook.tsx'

const deliveryQuery = graphql(`
  query WebhookDelivery($id: ID!) {
    webhookDelivery(id: $id) {
      id
      messageId
      eventType
      status
      nextAttemptAt
      createdAt
      body
      attempts {
        startedAt
        duration
        statusCode
        error
        answer
      }
      webhookSubscription {
        id
        identifier
        active
      }
    }
  }
`)

type Delivery = NonNullable<ResultOf<typeof deliveryQuery>['webhookDelivery']>
type Attempt = Delivery['attempts'][number]

/** Returns the body with line breaks, for reading. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function AttemptItem({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) {
  const { startedAt, duration, statusCode, error, answer } = attempt
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap={4}>
        <Text size="xs" c="dimmed">
          Attempt {number}, <Moment at={startedAt} />, took {duration} ms
        </Text>
        <Text size="sm" className="wrap-anywhere">
          {error ?? 'Accepted by the receiver'}
        </Text>
        <Text size="sm">{statusCode === null ? 'No response' : <Code>{statusCode}</Code>}</Text>
        {answer !== null && <TextBlock text={answer} label={`Response of attempt ${number}`} />}
      </Stack>
    </Paper>
  )
}

export function Component() {
  const { identifier = '', id = '' } = useParams()
  const canWrite = useCanWrite()
  const query = useQuery({ query: deliveryQuery, variables: { id } })
  const found = query[0].data?.webhookDelivery
  useComingAttempt(query, found?.webhookSubscription?.active === true ? [found.nextAttemptAt] : [])
  return (
    <Page
      title={found?.messageId ?? 'Webhook message'}
      parent={{ label: identifier, to: paths.webhook(identifier) }}
      actions={canWrite && found && found.status !== 'PENDING' && <RetryWebhook id={found.id} />}
    >
      <Answer query={query}>
        {({ webhookDelivery: delivery }) =>
          delivery === null ? (
            <Missing
              what="webhook message with this id"
              list={{ label: `All messages of ${identifier}`, to: paths.webhook(identifier) }}
            />
          ) : (
            <>
              <Facts
                facts={{
                  'Webhook subscription': <RowLink to={paths.webhook(identifier)}>{identifier}</RowLink>,
                  'webhook-id': <Copyable value={delivery.messageId} label="webhook-id" />,
                  'Event type': delivery.eventType === null ? 'Unknown' : eventTypeLabel(delivery.eventType),
                  Status: <WebhookStatusBadge status={delivery.status} />,
                  Created: <ExactMoment at={delivery.createdAt} />,
                  ...(delivery.nextAttemptAt !== null && {
                    'Next attempt': <ExactMoment at={delivery.nextAttemptAt} />,
                  }),
                }}
              />
              <Title order={2} size="h4">
                Attempts
              </Title>
              {delivery.attempts.length === 0 ? (
                <Text size="sm" c="dimmed">
                  No attempt yet.
                </Text>
              ) : (
                <Stack component="ol" gap="xs" m={0} p={0} aria-label="Attempts" style={{ listStyle: 'none' }}>
                  {delivery.attempts.map((attempt, index) => (
                    <AttemptItem key={attempt.startedAt} attempt={attempt} number={index + 1} />
                  ))}
                </Stack>
              )}
              <Title order={2} size="h4">
                Body of the request
              </Title>
              {delivery.body === null ? (
                <Text size="sm" c="dimmed">
                  The message was just deleted.
                </Text>
              ) : (
                <TextBlock text={readable(delivery.body)} label="Body of the request" />
              )}
            </>
          )
        }
      </Answer>
    </Page>
  )
}
