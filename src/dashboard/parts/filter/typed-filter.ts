// A filter that follows the typing: it waits for a short pause, and keeps its text in the address.
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useFilter } from './filter.ts'
import { PAUSE } from '../pause.ts'

/** Returns the text of the field, and what changes it. */
export function useTypedFilter(name: string): readonly [text: string, change: (next: string) => void] {
  const [value, set] = useFilter(name)
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const send = useDebouncedCallback((next: string) => {
    sent.current = next.trim()
    set(sent.current)
  }, PAUSE)
  // A link or the back button changed the address. What was typed here must not be undone by its own arrival.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  const change = (next: string) => {
    setText(next)
    send(next)
  }
  return [text, change]
}
