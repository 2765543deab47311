// The filters of a list that has many: in columns, two on a narrow screen.
import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'

export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing="xs" role="search" aria-label="Filters">
    {children}
  </SimpleGrid>
)
