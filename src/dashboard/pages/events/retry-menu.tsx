// The button that retries runs, with the choice between the triggered and the current workflow.
import { Button, type ButtonProps, Menu } from '@mantine/core'
import { IconChevronDown, IconRefresh } from '@tabler/icons-react'

/** Which version of the workflow a retry executes. */
export type Version = 'TRIGGERED' | 'CURRENT'

interface RetryMenuProps extends Pick<ButtonProps, 'size'> {
  readonly label: string
  readonly pending: boolean
  /** The versions with which something can be repeated. Default: both */
  readonly possible?: Readonly<Record<Version, boolean>>
  readonly onRetry: (workflowVersion: Version) => Promise<void>
}

const both = { CURRENT: true, TRIGGERED: true }

export function RetryMenu({ label, pending, possible = both, onRetry, size = 'sm' }: RetryMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size={size}
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          loading={pending}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!possible.CURRENT} onClick={() => void onRetry('CURRENT')}>
          With the current workflow
        </Menu.Item>
        <Menu.Item disabled={!possible.TRIGGERED} onClick={() => void onRetry('TRIGGERED')}>
          As triggered
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
