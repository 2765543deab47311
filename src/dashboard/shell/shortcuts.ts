// Keyboard shortcuts of every page. None works while someone types in a field, or while a dialog is open.
import { useEffect, useEffectEvent } from 'react'

/** The key with Ctrl or Command, as people write it. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

const isDialogOpen = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Returns the shortcut of a key press. */
function shortcutOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): 'search' | 'filter' | 'keys' | undefined {
  if (altKey) return undefined
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'search' : undefined
  if (key === '/') return 'filter'
  return key === '?' ? 'keys' : undefined
}

/** Focuses the search of the page, or its first filter. */
function focusFilter(): boolean {
  const field = document.querySelector<HTMLElement>('#page [type="search"], #page [role="search"] input')
  field?.focus()
  return field !== null
}

/**
 * Listens to the shortcuts.
 *
 * @param onSearch opens the palette
 * @param onKeys shows the keys
 */
export function useShortcuts(onSearch: () => void, onKeys: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const shortcut = shortcutOf(event)
    if (shortcut === undefined || isField(event.target) || isDialogOpen()) return
    if (shortcut === 'filter') {
      if (!focusFilter()) return
    } else if (shortcut === 'search') onSearch()
    else onKeys()
    // The browser would type the key, or open its own search.
    event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}
