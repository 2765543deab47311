// The newest events.
import { Anchor, Table } from '@mantine/core'
import { Link } from 'react-router'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import type { EventRow } from '../events/event-row.ts'

export function RecentEvents({ events }: { readonly events: readonly EventRow[] }) {
  return (
    <Table aria-label="Recent events" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Transaction id</Table.Th>
          <Table.Th>Workflow</Table.Th>
          <Table.Th>Outcome</Table.Th>
          <Table.Th visibleFrom="sm">When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map(({ id, transactionId, workflowIdentifier, workflow, outcome, createdAt }) => (
          <Table.Tr key={id}>
            <Table.Td className="wrap-anywhere">
              <Anchor inherit component={Link} to={paths.event(transactionId)}>
                {transactionId}
              </Anchor>
            </Table.Td>
            <Table.Td className="wrap-anywhere">
              <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
                {workflow?.name ?? workflowIdentifier}
              </Anchor>
            </Table.Td>
            <Table.Td>
              <StatusBadge status={outcome} />
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Moment at={createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
