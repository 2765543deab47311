// A button of the toolbar that opens a form: it returns the focus when it is closed.
import { Popover } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ToolbarButton } from './toolbar-button.tsx'

interface PopoverControlProps {
  readonly label: string
  readonly icon: Icon
  readonly pressed?: boolean
  /** The form, which calls the function when it is done. */
  readonly children: (close: () => void) => ReactNode
}

export function PopoverControl({ label, icon, pressed, children }: PopoverControlProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      onClose={close}
      position="bottom-start"
      width="min(20rem, calc(100vw - 1rem))"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ToolbarButton label={label} icon={icon} pressed={pressed} onClick={isOpen ? close : open} />
      </Popover.Target>
      <Popover.Dropdown>{isOpen && children(close)}</Popover.Dropdown>
    </Popover>
  )
}
