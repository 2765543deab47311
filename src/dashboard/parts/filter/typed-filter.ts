// A filter that updates after a short pause in typing, and keeps its text in the address.
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useFilter } from './filter.ts'
import { PAUSE } from '../pause.ts'

/** Returns the text of the field, and a function that changes it. */
export function useTypedFilter(name: string): readonly [text: string, change: (next: string) => void] {
  const [value, set] = useFilter(name)
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const send = useDebouncedCallback((next: string) => {
    sent.current = next.trim()
    set(sent.current)
  }, PAUSE)
  // A link or the back button changed the address. Typed text must not be undone when it arrives in the address itself.
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
