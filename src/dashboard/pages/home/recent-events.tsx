// The newest events.
import { Anchor, Table } from '@mantine/core'
import { Link } from 'react-router'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'

export const recentEventFields = graphql(`
  fragment RecentEventFields on Event @_unmask {
    id
    transactionId
    workflowIdentifier
    workflow {
      id
      name
    }
    status
    createdAt
  }
`)

export function RecentEvents({ events }: { readonly events: readonly ResultOf<typeof recentEventFields>[] }) {
  return (
    <Table aria-label="Recent events" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Transaction id</Table.Th>
          <Table.Th>Workflow</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th visibleFrom="sm">When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map(({ id, transactionId, workflowIdentifier, workflow, status, createdAt }) => (
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
              <StatusBadge status={status} />
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
