// A link in the size of the text around it, such as the name of an object in a list.
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { anchorLook } from './looks.ts'

interface RowLinkProps {
  readonly to: string
  /** Default: underlined at the pointer only. */
  readonly underline?: 'always' | 'hover'
  readonly children: ReactNode
}

export const RowLink = ({ to, underline = 'hover', children }: RowLinkProps) => (
  <Link className={anchorLook} data-inherit data-underline={underline} to={to}>
    {children}
  </Link>
)
