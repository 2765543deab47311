// The channels that one workflow, the workflows of a category or all workflows use: whether each is on, and which rule decided that.
import { ActionIcon, Anchor, Group, Table, Text, Tooltip } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type Channel, channelLabels } from '../../parts/channel-labels.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { PreferenceSwitch } from './preference-switch.tsx'
import { notUsed, type Rule, scopes, withoutContext } from './preference-rules.tsx'

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
  /** The workflows that the row is about. */
  readonly of: keyof typeof scopes
  readonly name: string
  /** A line below the name. */
  readonly note?: string
  /** The page of the category or workflow. */
  readonly to?: string
  readonly columns: readonly Channel[]
  /** The settings of the channels that the workflows use. */
  readonly channels: readonly ChannelSetting[]
  /** Saves a change. @returns false if it failed */
  readonly onChange: (change: ChannelChange) => Promise<boolean>
}

export function PreferenceRow({ of, name, note, to, columns, channels, onChange }: PreferenceRowProps) {
  const canWrite = useCanWrite()
  const { rules, own } = scopes[of]
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={of === 'ALL' ? 600 : 400}>
        {to === undefined ? (
          name
        ) : (
          <Anchor inherit component={Link} to={to} className="wrap-anywhere">
            {name}
          </Anchor>
        )}
        {note !== undefined && (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
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
              {decidedBy === own && !inherited && canWrite && (
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
