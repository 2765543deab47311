// The recipients of an event by outcome and reason. Each group leads to its runs.
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { ResultOf } from '../../graph/graphql.ts'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import type { countFields } from './event-counts.ts'
import { reasonInWords } from './reasons.ts'

const number = new Intl.NumberFormat()

interface RecipientGroupsProps extends Pick<ResultOf<typeof countFields>, 'recipientCounts'> {
  readonly transactionId: string
}

export function RecipientGroups({ transactionId, recipientCounts: { total, groups } }: RecipientGroupsProps) {
  if (total === 0) return 'none'
  return (
    <Stack gap={4}>
      <Text inherit>{number.format(total)} in all</Text>
      {groups.map(({ outcome, reason, count }) => (
        <Group key={`${outcome} ${reason}`} gap="xs">
          <StatusBadge status={outcome} />
          <Anchor inherit component={Link} to={paths.recipients(transactionId, outcome, reason)}>
            {number.format(count)}
            {reason !== null && `: ${reasonInWords(reason)}`}
          </Anchor>
        </Group>
      ))}
    </Stack>
  )
}
