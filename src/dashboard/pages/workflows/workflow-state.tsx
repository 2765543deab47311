// Whether a workflow executes triggers.
import { StateBadge } from '../../parts/badge/state-badge.tsx'

interface WorkflowStateProps {
  readonly workflow: { readonly active: boolean; readonly suspension: object | null; readonly pause: object | null }
}

export function WorkflowState({ workflow: { active, suspension, pause } }: WorkflowStateProps) {
  if (suspension !== null) return <StateBadge color="red">Suspended</StateBadge>
  if (pause !== null) return <StateBadge color="yellow">Paused</StateBadge>
  return <StateBadge color={active ? 'green' : 'gray'}>{active ? 'Active' : 'Inactive'}</StateBadge>
}
