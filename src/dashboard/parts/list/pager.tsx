// The total count of a list, the rows per page, and the paging buttons.
import { Button, Group, NativeSelect, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type PageInfo, type Pages, pageSizes } from './pages.ts'

interface PagerProps {
  readonly connection: {
    readonly pageInfo: PageInfo
    readonly totalCount?: number
    readonly totalCountCapped?: boolean
  }
  readonly pages: Pages
  /** Further buttons. */
  readonly children?: ReactNode
}

const number = new Intl.NumberFormat()

export function Pager({ connection: { pageInfo, totalCount, totalCountCapped }, pages, children }: PagerProps) {
  const isResizable = pages.size !== pageSizes[0] || pageInfo.hasPreviousPage || pageInfo.hasNextPage
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {totalCount !== undefined &&
          `${number.format(totalCount)}${totalCountCapped === true ? ' or more' : ''} in total`}
      </Text>
      <Group gap="xs">
        {children}
        {pages.sizes.length > 1 && isResizable && (
          <NativeSelect
            size="xs"
            aria-label="Rows per page"
            data={pages.sizes.map((size) => ({ value: String(size), label: `${size} rows` }))}
            value={String(pages.size)}
            onChange={({ currentTarget: { value } }) => {
              const size = pages.sizes.find((one) => String(one) === value)
              if (size !== undefined) pages.resize(size)
            }}
          />
        )}
        <Button
          size="xs"
          variant="default"
          disabled={!pageInfo.hasPreviousPage}
          onClick={() => pages.previous(pageInfo)}
        >
          Previous
        </Button>
        <Button size="xs" variant="default" disabled={!pageInfo.hasNextPage} onClick={() => pages.next(pageInfo)}>
          Next
        </Button>
      </Group>
    </Group>
  )
}
