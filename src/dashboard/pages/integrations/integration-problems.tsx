// The problems of the set-up of an integration, with what follows from them.
import { Alert, List } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { Integration } from './integration-values.ts'

const inSentence = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

/** Problem messages that start with a setting keep its spelling. */
const shown = ({ setting, message }: Integration['problems'][number]) =>
  setting === null ? inSentence(message) : `${message}.`

function consequenceOf({ deliverable, active, awaitsSetup }: Integration): string {
  if (deliverable) return 'Messages are sent, with a restriction'
  if (active) return 'Every message fails'
  return awaitsSetup ? 'Inactive until its settings are complete' : 'It cannot be activated'
}

export function IntegrationProblems({ integration }: { readonly integration: Integration }) {
  const { problems, deliverable } = integration
  if (problems.length === 0) return null
  return (
    <Alert
      color={deliverable ? 'yellow' : 'red'}
      title={consequenceOf(integration)}
      icon={<IconAlertTriangle aria-hidden />}
      role="note"
      aria-label="Problems of the integration"
    >
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={`${problem.code} ${problem.setting}`} className="wrap-anywhere">
            {shown(problem)}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
