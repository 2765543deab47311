// The content of a list without rows that match its search and filters.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAddressQuery } from '../list/address-query.ts'
import { Empty } from '../empty.tsx'
import { TAB } from './tab.ts'

interface NoMatchProps {
  readonly title: string
  readonly children: ReactNode
}

export function NoMatch({ title, children }: NoMatchProps) {
  const [, change] = useAddressQuery()
  const clear = () =>
    change((query) => {
      for (const name of [...query.keys()]) if (name !== TAB) query.delete(name)
    })
  return (
    <Empty
      title={title}
      action={
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      }
    >
      {children}
    </Empty>
  )
}
