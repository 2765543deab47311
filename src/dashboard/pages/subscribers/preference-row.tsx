// The channels of one workflow, or of all: whether each is on, and which rule decided that.
import { ActionIcon, Anchor, Group, Switch, Table, Text, Tooltip } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { Link } from 'react-router'
import { channelNames } from '../../parts/channel-names.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'

type Channel = keyof typeof channelNames

type Rule = 'CRITICAL' | 'SUBSCRIBER_GLOBAL' | 'SUBSCRIBER_WORKFLOW' | 'WORKFLOW_DEFAULT'

/** A new preference for a channel. Null removes the preference. */
export interface ChannelChange {
  readonly channel: Channel
  readonly enabled: boolean | null
}

interface ChannelSetting {
  readonly channel: Channel
  readonly enabled: boolean
  readonly decidedBy: Rule
}

/** The rule that decided the setting of a workflow, in a few words and in a sentence. */
const rules = {
  CRITICAL: ['critical', 'The workflow is critical: every channel is on.'],
  SUBSCRIBER_WORKFLOW: ['own choice', 'The subscriber chose this for the workflow.'],
  SUBSCRIBER_GLOBAL: ['choice for all', 'The subscriber chose this for all workflows.'],
  WORKFLOW_DEFAULT: ['default', 'The default of the workflow: the subscriber chose nothing.'],
} as const satisfies Record<Rule, readonly [string, string]>

interface PreferenceRowProps {
  readonly name: string
  /** None in the row for all workflows. */
  readonly workflowIdentifier?: string
  readonly channels: readonly ChannelSetting[]
  readonly pending: boolean
  readonly onChange: (change: ChannelChange) => void
}

export function PreferenceRow({ name, workflowIdentifier, channels, pending, onChange }: PreferenceRowProps) {
  const canWrite = useCanWrite()
  /** The rule that a preference of this row makes. */
  const ownRule = workflowIdentifier === undefined ? 'SUBSCRIBER_GLOBAL' : 'SUBSCRIBER_WORKFLOW'
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={workflowIdentifier === undefined ? 600 : 400}>
        {workflowIdentifier === undefined ? (
          name
        ) : (
          <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)} className="wrap-anywhere">
            {name}
          </Anchor>
        )}
      </Table.Th>
      {channels.map(({ channel, enabled, decidedBy }) => {
        const [short, sentence] =
          workflowIdentifier === undefined && decidedBy === 'WORKFLOW_DEFAULT'
            ? (['no choice', 'The subscriber chose nothing: the defaults of the workflows decide.'] as const)
            : rules[decidedBy]
        const label = `${channelNames[channel]} for ${name}`
        return (
          <Table.Td key={channel} style={{ verticalAlign: 'top' }}>
            {canWrite && decidedBy !== 'CRITICAL' ? (
              <Switch
                aria-label={label}
                checked={enabled}
                disabled={pending}
                onChange={(event) => onChange({ channel, enabled: event.currentTarget.checked })}
              />
            ) : (
              <Text inherit>{enabled ? 'On' : 'Off'}</Text>
            )}
            <Group gap={2} wrap="nowrap">
              <Tooltip label={sentence} events={{ hover: true, focus: true, touch: true }}>
                <Text size="xs" c="dimmed" tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
                  {short}
                </Text>
              </Tooltip>
              {decidedBy === ownRule && canWrite && (
                <Tooltip label="Remove the choice">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="xs"
                    disabled={pending}
                    aria-label={`Remove the choice ${label}`}
                    onClick={() => onChange({ channel, enabled: null })}
                  >
                    <IconRestore size={12} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              )}
            </Group>
          </Table.Td>
        )
      })}
    </Table.Tr>
  )
}
