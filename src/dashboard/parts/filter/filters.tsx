// The filters of a list, side by side if the screen is wide enough.
import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'

/** Each child is a field with a visible label, the size `xs` and the placeholder `Any`. */
export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" verticalSpacing="xs" role="search" aria-label="Filters">
    {children}
  </SimpleGrid>
)
