// The focus in a list whose items are moved by buttons: it stays on the button of the moved item.
import { type RefObject, useEffect, useRef } from 'react'

/** The attributes of a button that can keep the focus. */
export interface ItemButton {
  readonly 'data-item': string
  /** Names the button among those of its item. */
  readonly 'data-act': string
}

/** Returns the attributes of a button. */
export const itemButton = (item: string, act: string): ItemButton => ({ 'data-item': item, 'data-act': act })

/**
 * Returns a reference for the element around the list, and a function that names the button which gets the focus once
 * `items` have changed. If the button is disabled, it is the first one of its item that is not.
 */
export function useMovedFocus<Around extends HTMLElement>(
  items: unknown,
): readonly [around: RefObject<Around | null>, focusOn: (item: string, act: string) => void] {
  const around = useRef<Around>(null)
  const next = useRef<{ readonly item: string; readonly act: string }>(undefined)
  useEffect(() => {
    if (next.current === undefined) return
    const { item, act } = next.current
    const selector = `[data-item="${CSS.escape(item)}"]:not(:disabled)`
    const buttons = around.current?.querySelectorAll<HTMLButtonElement>(selector) ?? []
    const same = [...buttons].find(({ dataset }) => dataset['act'] === act)
    ;(same ?? buttons[0])?.focus()
    next.current = undefined
  }, [items])
  const focusOn = (item: string, act: string) => {
    next.current = { item, act }
  }
  return [around, focusOn]
}
