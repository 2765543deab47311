// The total count of a list, and the paging buttons.
import { Button, Group, Text } from '@mantine/core'
import type { PageInfo, Pages } from './pages.ts'

interface PagerProps {
  readonly connection: {
    readonly pageInfo: PageInfo
    readonly totalCount?: number
    readonly totalCountCapped?: boolean
  }
  readonly pages: Pages
}

const number = new Intl.NumberFormat()

export function Pager({ connection: { pageInfo, totalCount, totalCountCapped }, pages }: PagerProps) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" aria-live="polite">
        {totalCount !== undefined &&
          `${number.format(totalCount)}${totalCountCapped === true ? ' or more' : ''} in total`}
      </Text>
      <Group gap="xs">
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
