// A link inside a sentence.
import type { ReactNode } from 'react'
import { RowLink } from '../../parts/row-link.tsx'

export const TextLink = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => (
  <RowLink underline="always" to={to}>
    {children}
  </RowLink>
)
