// Tells a screen reader how many results a new filter has. What changes afterwards by itself is not announced.
import { VisuallyHidden } from '@mantine/core'
import { useState } from 'react'

const number = new Intl.NumberFormat()

interface ResultCountProps {
  /** A text for the filter of the list. */
  readonly list: string
  /** Undefined while the results are not known. */
  readonly count: number | undefined
}

/** Must stay on the page while the list is loading: a new region is not announced. */
export function ResultCount({ list, count }: ResultCountProps) {
  const [announced, setAnnounced] = useState({ list, text: '' })
  if (announced.list !== list && count !== undefined) {
    setAnnounced({ list, text: count === 1 ? '1 result' : `${count === 0 ? 'No' : number.format(count)} results` })
  }
  return <VisuallyHidden role="status">{announced.text}</VisuallyHidden>
}
