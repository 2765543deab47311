// A link inside a sentence.
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

export function TextLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Anchor inherit component={Link} underline="always" to={to}>
      {children}
    </Anchor>
  )
}
