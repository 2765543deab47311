// The filters of a list, side by side where the screen is wide enough.
import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'

export function FilterBar({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="xs" role="search">
      {children}
    </SimpleGrid>
  )
}
