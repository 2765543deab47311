// A button of an item in a list, such as one that moves it up, as an icon with its name.
import { ActionIcon, Tooltip } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import type { ItemButton } from './moved-focus.ts'

interface IconActProps extends Partial<ItemButton> {
  readonly label: string
  readonly icon: TablerIcon
  readonly disabled?: boolean
  readonly onClick: () => void
}

export function IconAct({ label, icon: Icon, ...button }: IconActProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...button}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
