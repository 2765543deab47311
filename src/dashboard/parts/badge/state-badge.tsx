// A state as a word with a colored dot. The text has enough contrast whatever the color.
import type { MantineColor } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import { dotLook } from '../looks.ts'

const styleOf = (color: MantineColor) =>
  ({
    '--badge-dot-color': `var(--mantine-color-${color}-filled)`,
    fontWeight: 500,
    textTransform: 'none',
    // Never shortened: in a narrow table, other columns shrink instead.
    minWidth: 'max-content',
  }) as CSSProperties

/** @param color a color of the theme, without a shade. */
export const StateBadge = ({ color, children }: { readonly color: MantineColor; readonly children: ReactNode }) => (
  <span className={dotLook.root} data-variant="dot" style={styleOf(color)}>
    <span className={dotLook.label}>{children}</span>
  </span>
)
