// The loading indicator of a page.
import { Center, Loader } from '@mantine/core'

export function Loading() {
  return (
    <Center py="xl">
      <Loader role="status" aria-label="Loading" />
    </Center>
  )
}
