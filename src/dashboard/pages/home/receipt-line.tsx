// The bounces and complaints of an integration, in one line with links. A rate that providers do not accept is marked.
import { Text } from '@mantine/core'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import type { DeliveryHealth } from './health-fields.ts'
import { TextLink } from './text-link.tsx'

/** The rates from which docs/monitoring/alerts.yaml alerts. */
const BOUNDS = { bounce: 0.05, complaint: 0.001 } as const

const number = new Intl.NumberFormat()
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 })

const inPercent = (rate: number | null) => (rate === null ? '' : ` (${percent.format(rate)})`)

const isAbove = (rate: number | null, bound: number) => rate !== null && rate > bound

const messagesWith = (receipt: string, integration: string) =>
  `${paths.deliveries}?${new URLSearchParams({ receipt, integration })}`

interface ReceiptLineProps {
  readonly receipt: DeliveryHealth['receipts'][number]
}

export function ReceiptLine({ receipt }: ReceiptLineProps) {
  const { integrationIdentifier, sent, bounced, complained, bounceRate, complaintRate } = receipt
  return (
    <Text size="sm" component="div" className="wrap-anywhere">
      <TextLink to={paths.integration(integrationIdentifier)}>{integrationIdentifier}</TextLink>:{' '}
      <TextLink to={messagesWith('BOUNCED', integrationIdentifier)}>{number.format(bounced)} bounced</TextLink>
      {inPercent(bounceRate)},{' '}
      <TextLink to={messagesWith('COMPLAINED', integrationIdentifier)}>
        {number.format(complained)} reported as spam
      </TextLink>
      {inPercent(complaintRate)}, {number.format(sent)} messages sent in the last hour.{' '}
      {isAbove(bounceRate, BOUNDS.bounce) && (
        <StateBadge color="red">More than {percent.format(BOUNDS.bounce)} bounce</StateBadge>
      )}{' '}
      {isAbove(complaintRate, BOUNDS.complaint) && (
        <StateBadge color="red">More than {percent.format(BOUNDS.complaint)} complain</StateBadge>
      )}
    </Text>
  )
}
