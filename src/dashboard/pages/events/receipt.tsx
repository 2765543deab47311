// What the provider of a message reported about it: the receipt, and each report.
import { Code, Stack, Text } from '@mantine/core'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Moment } from '../../parts/moment.tsx'

export const receiptFields = graphql(`
  fragment ReceiptFields on Delivery @_unmask {
    receipt {
      state
      at
      detail
    }
    reports {
      kind
      at
      receivedAt
      address
      code
      detail
    }
  }
`)

type Receipted = ResultOf<typeof receiptFields>
type Report = Receipted['reports'][number]

/** What happened, as the beginning of a sentence. */
const kinds = {
  ACCEPTED: 'Processed by the provider',
  DEFERRED: 'Deferred: the provider tries again',
  DELIVERED: 'Delivered',
  BOUNCED_HARD: 'Bounced, and further messages to the address would, too',
  BOUNCED_SOFT: 'Bounced for now',
  DROPPED: 'Dropped: the provider did not try to deliver it',
  COMPLAINED: 'Reported as spam by the recipient',
  UNSUBSCRIBED: 'Unsubscribed at the provider by the recipient',
} as const satisfies Record<Report['kind'], string>

/** The state of the message as a whole, in a sentence. */
const states = {
  DELIVERED: 'The provider delivered the message',
  DEFERRED: 'The provider could not deliver the message yet, and tries again. It was deferred',
  BOUNCED: 'The message bounced',
  COMPLAINED: 'The recipient reported the message as spam',
} as const satisfies Record<Exclude<Receipted['receipt']['state'], 'UNKNOWN'>, string>

const ReportItem = ({ report: { kind, at, address, code, detail } }: { readonly report: Report }) => (
  <li>
    <Text size="sm" className="wrap-anywhere">
      {kinds[kind]}, <Moment at={at} />
      {address !== null && `, copy to ${address}`}
      {code !== null && (
        <>
          {' '}
          <Code>{code}</Code>
        </>
      )}
    </Text>
    {detail !== null && (
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {detail}
      </Text>
    )}
  </li>
)

export function Receipt({ delivery: { receipt, reports } }: { readonly delivery: Receipted }) {
  const { state, at, detail } = receipt
  return (
    <>
      {state !== 'UNKNOWN' && at !== null && (
        <Text size="sm" className="wrap-anywhere">
          {states[state]} <Moment at={at} />
          {detail === null ? '.' : `: ${detail}`}
        </Text>
      )}
      {reports.length > 0 && (
        <div>
          <Text size="xs" c="dimmed">
            Reports of the provider
          </Text>
          <Stack component="ol" gap={4} m={0} p={0} aria-label="Reports of the provider" style={{ listStyle: 'none' }}>
            {reports.map((report) => (
              <ReportItem
                key={[report.kind, report.at, report.receivedAt, report.address, report.detail].join(' ')}
                report={report}
              />
            ))}
          </Stack>
        </div>
      )}
    </>
  )
}
