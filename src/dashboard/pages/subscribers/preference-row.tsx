// The channels that one workflow uses, or all workflows: whether each is on, and which rule decided that.
import { ActionIcon, Anchor, Group, Table, Text, Tooltip } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type Channel, channelLabels } from '../../parts/channel-labels.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { PreferenceSwitch } from './preference-switch.tsx'
import { globalRules, notUsed, type Rule, withoutContext, workflowRules } from './preference-rules.tsx'

/** A new preference for a channel. Null removes the preference. */
export interface ChannelChange {
  readonly channel: Channel
  readonly enabled: boolean | null
}

interface ChannelSetting {
  readonly channel: Channel
  readonly enabled: boolean
  readonly decidedBy: Rule
  readonly inherited: boolean
}

interface PreferenceRowProps {
  readonly name: string
  /** Absent in the row for all workflows. */
  readonly workflowIdentifier?: string
  readonly columns: readonly Channel[]
  /** The settings of the channels that the workflow uses. */
  readonly channels: readonly ChannelSetting[]
  /** Saves a change. @returns false if it failed */
  readonly onChange: (change: ChannelChange) => Promise<boolean>
}

export function PreferenceRow({ name, workflowIdentifier, columns, channels, onChange }: PreferenceRowProps) {
  const canWrite = useCanWrite()
  const rules = workflowIdentifier === undefined ? globalRules : workflowRules
  /** The rule that a preference in this row creates. */
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
      {columns.map((column) => {
        const setting = channels.find(({ channel }) => channel === column)
        if (setting === undefined) {
          return (
            <Table.Td key={column} c="dimmed" fz="xs" style={{ verticalAlign: 'top' }}>
              {notUsed.short}
            </Table.Td>
          )
        }
        const { channel, enabled, decidedBy, inherited } = setting
        const { short, sentence } = inherited ? withoutContext : rules[decidedBy]
        const label = `${channelLabels[channel]} for ${name}`
        return (
          <Table.Td key={channel} style={{ verticalAlign: 'top' }}>
            {canWrite && decidedBy !== 'CRITICAL' ? (
              <PreferenceSwitch
                name={label}
                checked={enabled}
                onChange={(next) => onChange({ channel, enabled: next })}
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
              {decidedBy === ownRule && !inherited && canWrite && (
                <Tooltip label="Remove the choice">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="xs"
                    aria-label={`Remove the choice ${label}`}
                    onClick={() => void onChange({ channel, enabled: null })}
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
