// The circuit of an integration: whether its messages are sent.
import { Group, Text } from '@mantine/core'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import type { Integration } from './integration-values.ts'

const badges = {
  CLOSED: { color: 'green', label: 'Closed' },
  OPEN: { color: 'red', label: 'Open' },
  PROBING: { color: 'yellow', label: 'Probing' },
} as const satisfies Record<Integration['circuit'], { color: string; label: string }>

export function CircuitState({ integration: { circuit, openCircuit } }: { readonly integration: Integration }) {
  const { color, label } = badges[circuit]
  return (
    <Group gap="xs">
      <StateBadge color={color}>{label}</StateBadge>
      {openCircuit && (
        <Text inherit span className="wrap-anywhere">
          since <Moment at={openCircuit.openedAt} />, next probe <Moment at={openCircuit.nextProbeAt} />
        </Text>
      )}
    </Group>
  )
}
