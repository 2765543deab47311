// The recipients of an event by outcome and reason. Each group leads to its runs.
import { Group, Stack, Text } from '@mantine/core'
import type { ResultOf } from '../../graph/graphql.ts'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/badge/status-badge.tsx'
import type { countFields } from './event-counts.ts'
import { runReasonLabels } from './reasons.ts'
import { RowLink } from '../../parts/row-link.tsx'

const number = new Intl.NumberFormat()

interface RecipientGroupsProps extends Pick<ResultOf<typeof countFields>, 'recipientCounts'> {
  readonly transactionId: string
}

export function RecipientGroups({ transactionId, recipientCounts: { total, groups } }: RecipientGroupsProps) {
  if (total === 0) return 'none'
  return (
    <Stack gap={4}>
      <Text inherit>{number.format(total)} in all</Text>
      {groups.map(({ outcome, reasonCode, count }) => (
        <Group key={`${outcome} ${reasonCode}`} gap="xs">
          <StatusBadge status={outcome} />
          <RowLink to={paths.recipients(transactionId, outcome, reasonCode)}>
            {number.format(count)}
            {reasonCode !== null && `: ${runReasonLabels[reasonCode].toLowerCase()}`}
          </RowLink>
        </Group>
      ))}
    </Stack>
  )
}
