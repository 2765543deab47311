// A state as a word with a colored dot. The text has enough contrast whatever the color.
import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'

export function StateBadge({ color, children }: { readonly color: MantineColor; readonly children: ReactNode }) {
  return (
    // Never shortened: in a narrow table, other columns shrink instead.
    <Badge component="span" variant="dot" color={color} miw="max-content">
      {children}
    </Badge>
  )
}
