// The failures of an integration or a workflow, in one line with links.
import { Text } from '@mantine/core'
import { paths } from '../../parts/paths.ts'
import type { DeliveryHealth } from './health-fields.ts'
import { TextLink } from './text-link.tsx'

const number = new Intl.NumberFormat()

/** The extra hours in the filter: a message that failed in the window can be some hours old. */
const LOOKBACK = 23 * 3_600_000

/** A link to the messages that failed since about a day ago and match a further filter. */
function failedMessages(since: string, filter: { readonly integration: string } | { readonly workflow: string }) {
  const from = new Date(new Date(since).getTime() - LOOKBACK).toISOString()
  return `${paths.deliveries}?${new URLSearchParams({ status: 'FAILED', from, ...filter })}`
}

interface IntegrationLineProps {
  readonly integration: DeliveryHealth['integrations'][number]
  readonly since: string
}

export function IntegrationLine({ integration, since }: IntegrationLineProps) {
  const { integrationIdentifier, failing, failedAttempts, sent, lastFailure } = integration
  return (
    <Text size="sm" className="wrap-anywhere">
      <TextLink to={paths.integration(integrationIdentifier)}>{integrationIdentifier}</TextLink>
      {failing && <b> is failing</b>}: {number.format(failedAttempts)} failed attempts, {number.format(sent)} messages
      sent in the last hour.{' '}
      <TextLink to={failedMessages(since, { integration: integrationIdentifier })}>See its failed messages</TextLink>
      {lastFailure && (
        <>
          {' or '}
          <TextLink to={paths.event(lastFailure.event.transactionId)}>the last failure</TextLink>
        </>
      )}
    </Text>
  )
}

interface WorkflowLineProps {
  readonly workflow: DeliveryHealth['workflows'][number]
  readonly since: string
}

export function WorkflowLine({ workflow: one, since }: WorkflowLineProps) {
  const { workflowIdentifier, workflow, failedMessages: messages, failedRuns } = one
  return (
    <Text size="sm" className="wrap-anywhere">
      <TextLink to={paths.workflow(workflowIdentifier)}>{workflowIdentifier}</TextLink>: {number.format(messages)}{' '}
      failed messages, {number.format(failedRuns)} failed runs in the last hour.{' '}
      {workflow?.suspension && <b>Suspended: {workflow.suspension.reason} </b>}
      <TextLink to={failedMessages(since, { workflow: workflowIdentifier })}>See its failed messages</TextLink> or{' '}
      <TextLink to={paths.failedRuns(workflowIdentifier)}>its failed runs</TextLink>
    </Text>
  )
}
