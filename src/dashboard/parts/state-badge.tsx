// A state as a word with a colored dot: the text has enough contrast in every color.
import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'

export function StateBadge({ color, children }: { readonly color: MantineColor; readonly children: ReactNode }) {
  return (
    <Badge component="span" variant="dot" color={color} tt="none" fw={500} style={{ flexShrink: 0 }}>
      {children}
    </Badge>
  )
}
