// The newest events.
import { Table, Text } from '@mantine/core'
import { cellLook, rowLook } from '../../parts/looks.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/badge/status-badge.tsx'
import { SteadyList, useSteadyRows } from '../../parts/list/steady-rows.tsx'
import type { EventRow } from '../events/event-row.ts'
import { RowLink } from '../../parts/row-link.tsx'

export function RecentEvents({ events }: { readonly events: readonly EventRow[] }) {
  const steady = useSteadyRows(events)
  return (
    <SteadyList steady={steady}>
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
          {steady.rows.map(({ id, transactionId, workflowIdentifier, workflow, outcome, createdAt }) => (
            <tr key={id} className={rowLook} data-with-row-border>
              <td className={`${cellLook} wrap-anywhere`}>
                <div>
                  <RowLink to={paths.event(transactionId)}>{transactionId}</RowLink>
                </div>
                <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
                  <Moment at={createdAt} />
                </Text>
              </td>
              <td className={`${cellLook} wrap-anywhere`}>
                <RowLink to={paths.workflow(workflowIdentifier)}>{workflow?.name ?? workflowIdentifier}</RowLink>
              </td>
              <td className={cellLook}>
                <StatusBadge status={outcome} />
              </td>
              <td className={`${cellLook} mantine-visible-from-sm`}>
                <Moment at={createdAt} />
              </td>
            </tr>
          ))}
        </Table.Tbody>
      </Table>
    </SteadyList>
  )
}
