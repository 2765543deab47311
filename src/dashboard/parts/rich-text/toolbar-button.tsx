// A button of the toolbar, with its name in a tooltip.
import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'

interface ToolbarButtonProps
  extends Omit<ActionIconProps, 'disabled'>, Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps | 'disabled'> {
  readonly label: string
  readonly icon: Icon
  /** The keys that do the same, such as `Control+B`. */
  readonly keys?: string | undefined
  /** Undefined for a button that is never pressed. */
  readonly pressed?: boolean | undefined
  readonly disabled?: boolean
  readonly isTabStop?: boolean
}

/** A disabled button keeps the focus, so that the arrow keys find it. */
export function ToolbarButton(props: ToolbarButtonProps) {
  const { label, icon: Shape, keys, pressed, disabled = false, isTabStop = false, onClick, ...button } = props
  return (
    <Tooltip label={keys === undefined ? label : `${label} (${keys.replace('Control', 'Ctrl')})`}>
      <ActionIcon
        {...button}
        size="md"
        variant={pressed ? 'light' : 'subtle'}
        color={pressed ? 'indigo' : 'gray'}
        c={pressed ? undefined : 'var(--mantine-color-text)'}
        opacity={disabled ? 0.4 : undefined}
        tabIndex={isTabStop ? 0 : -1}
        aria-label={label}
        aria-pressed={pressed}
        aria-disabled={disabled}
        aria-keyshortcuts={keys}
        // The selection stays in the text.
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => !disabled && onClick?.(event)}
      >
        <Shape size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
