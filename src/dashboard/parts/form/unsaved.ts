// What was typed and is not saved yet, so that a dialog or a page that contains it asks before it closes.
import { createContext, use, useEffect, useEffectEvent } from 'react'

export interface Check {
  /** Returns true if there are changes. */
  readonly isDirty: () => boolean
  /** Called when the changes are given up. */
  readonly discard: () => void
}

/** Every form on the page that can lose changes. */
const checks = new Set<Check>()
const listeners = new Set<() => void>()

/** The forms inside a dialog. */
export const DialogChecks = createContext<Set<Check> | null>(null)

/**
 * Protects the changes of a form while it is shown.
 *
 * @param onDiscard called before the page is left without the changes
 */
export function useUnsaved(isDirty: () => boolean, onDiscard: () => void = () => {}): void {
  const check = useEffectEvent(isDirty)
  const giveUp = useEffectEvent(onDiscard)
  const inDialog = use(DialogChecks)
  useEffect(() => {
    // Effect events must not be passed on by themselves.
    const one: Check = { isDirty: () => check(), discard: () => giveUp() }
    checks.add(one)
    inDialog?.add(one)
    for (const listener of listeners) listener()
    return () => {
      checks.delete(one)
      inDialog?.delete(one)
      for (const listener of listeners) listener()
    }
  }, [inDialog])
}

const isAnyDirty = (all: ReadonlySet<Check>): boolean => [...all].some(({ isDirty }) => isDirty())

/** True if a form inside the dialog has changes. */
export const isDialogDirty = (inDialog: ReadonlySet<Check>): boolean => isAnyDirty(inDialog)

/** True if any form on the page has changes. */
export const isPageDirty = (): boolean => isAnyDirty(checks)

/** Reports when forms are shown or removed. */
export const observeForms = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** True if the page shows a form that can lose changes. */
export const hasForms = (): boolean => checks.size > 0

/** Gives up all changes on the page. */
export function discardAll(): void {
  for (const { discard } of checks) discard()
}
