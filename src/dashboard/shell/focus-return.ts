// Returns the focus to where it was when a dialog is closed, however it was closed. Without this, the focus of a removed
// dialog falls to the body, and the keyboard starts at the top of the page again.
import { useEffect, useRef } from 'react'

/** The number of elements to remember. The last ones may be gone, such as the item of a menu that opened a dialog. */
const MAX_REMEMBERED = 10

const DIALOG = '[role="dialog"], [role="alertdialog"]'

const isDialog = (node: Node) =>
  node instanceof Element && (node.matches(DIALOG) || node.querySelector(DIALOG) !== null)

/** True if nothing on the page has the focus. */
export const isFocusLost = () => document.activeElement === null || document.activeElement === document.body

const isShown = (element: HTMLElement) => element.isConnected && element.getClientRects().length > 0

/** Focuses the page itself, from which Tab reaches its first control. */
export const focusPage = (): void => document.getElementById('page')?.focus({ preventScroll: true })

/** Call once for all dialogs. */
export function useFocusReturn(): void {
  useEffect(() => {
    let focused: HTMLElement[] = []
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      focused = [target, ...focused.filter((each) => each !== target)].slice(0, MAX_REMEMBERED)
    }
    const observer = new MutationObserver((changes) => {
      if (!isFocusLost() || !changes.some(({ removedNodes }) => [...removedNodes].some(isDialog))) return
      const before = focused.find(isShown)
      if (before === undefined) focusPage()
      else before.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', remember)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}

/**
 * Focuses the heading of a page that was opened from outside of its content, or with something that is gone, so that a
 * screen reader reads its name. A tab of a page keeps the focus, and so does a dialog.
 */
export function useHeadingFocus(pathname: string): void {
  const focusedFor = useRef(pathname)
  useEffect(() => {
    if (focusedFor.current === pathname) return
    focusedFor.current = pathname
    const page = document.getElementById('page')
    const isKept = page?.contains(document.activeElement) === true && document.activeElement !== page
    if (isKept || document.querySelector(DIALOG) !== null) return
    page?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [pathname])
}
