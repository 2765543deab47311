// Undo: a message for ten seconds after something was removed, with a button that brings it back.
import { Button, Group, Text } from '@mantine/core'
import { randomId, useHotkeys } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { createContext, useCallback, useEffect, useRef } from 'react'
import { CLOSE } from './messages.ts'

/** Milliseconds. */
const DURATION = 10_000

/** Shows what was removed, and offers to bring it back. */
export type OfferUndo = (message: string, undo: () => void) => void

interface Removal {
  readonly id: string
  readonly undo: () => void
}

/** What can be undone, the latest last. */
let removals: readonly Removal[] = []

function forget(id: string): void {
  removals = removals.filter((removal) => removal.id !== id)
}

function end(id: string): void {
  forget(id)
  notifications.hide(id)
}

function undoLatest(): void {
  removals.at(-1)?.undo()
}

function offer(message: string, bringBack: () => void): string {
  const id = randomId()
  const undo = () => {
    end(id)
    bringBack()
  }
  removals = [...removals, { id, undo }]
  // The message has the role alert, so that it is announced.
  notifications.show({
    ...CLOSE,
    id,
    autoClose: DURATION,
    onClose: () => forget(id),
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text inherit className="wrap-anywhere">
          {message}
        </Text>
        <Button size="compact-sm" variant="default" aria-keyshortcuts="Control+Z" onClick={undo}>
          Undo
        </Button>
      </Group>
    ),
  })
  return id
}

/**
 * Returns a function that offers to undo. The offers end with the component, which owns what was removed, such as the
 * draft of a workflow.
 */
export function useUndo(): OfferUndo {
  const offered = useRef<string[]>([])
  useEffect(() => {
    const { current: ids } = offered
    return () => {
      for (const id of ids) end(id)
    }
  }, [])
  return useCallback((message, undo) => {
    offered.current.push(offer(message, undo))
  }, [])
}

/** Offers to undo what the page removes. They end when the dashboard of the environment is left. */
export const Undo = createContext<OfferUndo>(offer)

/** Call once. The key undoes the latest removal, wherever the focus is outside of fields. */
export function useUndoKey(): void {
  useHotkeys([['mod+Z', undoLatest]])
  useEffect(
    () => () => {
      for (const { id } of removals) end(id)
    },
    [],
  )
}
