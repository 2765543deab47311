// One step of a preview.
import { Anchor, Badge, Group, type MantineColor, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { EmailEnvelope } from '../../events/email-envelope.tsx'
import { formatJson } from '../../../parts/form/json-object.ts'
import { Moment } from '../../../parts/moment.tsx'
import { paths } from '../../../parts/paths.ts'
import { pauseInWords } from '../../../parts/paused.tsx'
import { StateBadge } from '../../../parts/badge/state-badge.tsx'
import { stepTypes } from '../../../parts/step-types.ts'
import { PreviewedContent } from './previewed-content.tsx'
import type { StepPreview } from './preview-query.ts'

/** Steps of a preview that were not sent. */
const colors: Partial<Record<StepPreview['status'], MantineColor>> = {
  SENT: 'green',
  COMPLETED: 'green',
  FAILED: 'red',
}

/** The meaning of a status in a preview, in which nothing is sent. */
const words: Partial<Record<StepPreview['status'], string>> = {
  SENT: 'Would be sent',
  COMPLETED: 'Would wait',
  SKIPPED: 'Would be skipped',
  FAILED: 'Would fail',
}

export function PreviewedStep({ step }: { readonly step: StepPreview }) {
  const { label, icon: Icon } = stepTypes[step.type]
  const { notification, messages, status, detail, dueAt } = step
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Preview of ${step.stepId}`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Icon size={18} aria-hidden />
            <Text fw={600} size="sm">
              {label}
            </Text>
            <Text size="xs" c="dimmed" className="wrap-anywhere">
              {step.stepId}
            </Text>
          </Group>
          <StateBadge color={colors[status] ?? 'gray'}>{words[status] ?? status.toLowerCase()}</StateBadge>
        </Group>
        {detail !== null && <Text size="sm">{detail}</Text>}
        {dueAt !== null && (
          <Text size="sm">
            Until <Moment at={dueAt} />
          </Text>
        )}
        {notification && (
          <PreviewedContent subject={notification.subject} body={notification.body} html={false}>
            {notification.url !== null && (
              <Text size="xs" c="dimmed" className="wrap-anywhere">
                Opens {notification.url}
              </Text>
            )}
            {[notification.data, notification.payload ?? {}]
              .filter((json) => Object.keys(json).length > 0)
              .map((json, index) => (
                <Text key={index} size="xs" ff="monospace" className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
                  {formatJson(json)}
                </Text>
              ))}
            {notification.actions.length > 0 && (
              <Group gap="xs">
                {notification.actions.map(({ label: text, url }, index) => (
                  <Badge key={index} variant="default" title={url}>
                    {text}
                  </Badge>
                ))}
              </Group>
            )}
          </PreviewedContent>
        )}
        {messages.map(({ destination, integrationIdentifier, subject, body, error, pause, ...more }, index) => (
          <Stack key={index} gap={4}>
            <Text size="xs" c="dimmed" className="wrap-anywhere">
              To {destination} through{' '}
              <Anchor inherit underline="always" component={Link} to={paths.integration(integrationIdentifier)}>
                {integrationIdentifier}
              </Anchor>
            </Text>
            {more.routes.length > 1 && (
              <Text size="xs" c="dimmed" className="wrap-anywhere">
                Integrations in order: {more.routes.map((route) => route.integrationIdentifier).join(', ')}
              </Text>
            )}
            {more.incidentKey !== null && (
              <Text size="sm" className="wrap-anywhere">
                Incident <b>{more.incidentKey}</b>: {more.incidentAction?.toLowerCase()}
              </Text>
            )}
            {more.timeLimitAt !== null && (
              <Text size="sm">
                Attempted until <Moment at={more.timeLimitAt} />
              </Text>
            )}
            {more.expiresAt !== null && (
              <Text size="sm">
                Expires <Moment at={more.expiresAt} />
              </Text>
            )}
            {error !== null && error !== detail && <Text size="sm">Would fail: {error}</Text>}
            {more.rateLimitedUntil !== null && (
              <Text size="sm">
                Would wait for the rate limit of the integration until <Moment at={more.rateLimitedUntil} />
              </Text>
            )}
            {more.circuitOpenUntil !== null && (
              <Text size="sm">
                Would wait for the next probe of the integration, <Moment at={more.circuitOpenUntil} />
              </Text>
            )}
            {pause && <Text size="sm">Would wait. {pauseInWords(pause)}</Text>}
            <PreviewedContent subject={subject} body={body} html={step.type === 'EMAIL'}>
              {more.email && <EmailEnvelope envelope={more.email} />}
            </PreviewedContent>
          </Stack>
        ))}
      </Stack>
    </Paper>
  )
}
