// Streams of the gateway. One that ends is opened again.
import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useEffectEvent, useState } from 'react'
import { type AnyVariables, type Client, type TypedDocumentNode, useClient } from 'urql'

/** Milliseconds before an ended stream is opened again. Doubles until a result arrives. */
const PAUSE = { min: 1_000, max: 30_000 }

interface Stream<Data, Variables> {
  readonly document: TypedDocumentNode<Data, Variables>
  /** Returns the variables. Called whenever the stream is opened. */
  readonly variablesOf: () => Variables
  readonly onResult: (data: Data) => void
  readonly onState?: (isOpen: boolean) => void
}

/** Opens a stream, and opens it again when it ends. @returns a function that closes it. */
export function keepOpen<Data, Variables extends AnyVariables>(
  client: Client,
  { document, variablesOf, onResult, onState = () => undefined }: Stream<Data, Variables>,
): () => void {
  let pause = PAUSE.min
  let timer: ReturnType<typeof setTimeout> | undefined
  const subscribe = () =>
    client.subscription(document, variablesOf()).subscribe(({ data, hasNext }) => {
      onState(hasNext)
      if (data !== undefined && data !== null) {
        pause = PAUSE.min
        onResult(data)
      }
      if (hasNext) return
      // The gateway ends a stream when it restarts, and when something may have been missed.
      timer = setTimeout(openAgain, pause)
      pause = Math.min(pause * 2, PAUSE.max)
    })
  const openAgain = () => {
    clearTimeout(timer)
    timer = undefined
    stream = subscribe()
  }
  const openNow = () => timer !== undefined && openAgain()
  let stream = subscribe()
  window.addEventListener('online', openNow)
  return () => {
    window.removeEventListener('online', openNow)
    clearTimeout(timer)
    stream.unsubscribe()
    onState(false)
  }
}

/**
 * Subscribes while the tab is visible. Components with the same document and variables share one stream.
 *
 * @param onResult is called with each result
 * @returns true while the stream is open
 */
export function useStream<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  onResult: (data: Data) => void,
): boolean {
  const client = useClient()
  const isVisible = useDocumentVisibility() === 'visible'
  const [isOpen, setIsOpen] = useState(false)
  const received = useEffectEvent(onResult)
  const given = JSON.stringify(variables)

  useEffect(() => {
    if (!isVisible) return
    return keepOpen(client, {
      document,
      variablesOf: () => JSON.parse(given) as Variables,
      onResult: (data) => received(data),
      onState: setIsOpen,
    })
  }, [client, document, given, isVisible])

  return isOpen
}
