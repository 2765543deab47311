// A state as a word with a colored dot: the text has enough contrast in every color.
import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'

export function StateBadge({ color, children }: { readonly color: MantineColor; readonly children: ReactNode }) {
  return (
    // In a narrow table, other columns give way: half a word says nothing.
    <Badge component="span" variant="dot" color={color} miw="max-content">
      {children}
    </Badge>
  )
}
