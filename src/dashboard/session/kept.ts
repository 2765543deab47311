// What the tab keeps of an environment through a reload, such as the draft of a workflow. It is in session storage like
// the sessions of the tab, so it ends with the tab, and no other tab sees it. Signing out removes it.

const PREFIX = 'notification-gateway kept '

const keyOf = (environmentId: string, name: string) => `${PREFIX}${environmentId} ${name}`

export function keep(environmentId: string, name: string, text: string): void {
  try {
    sessionStorage.setItem(keyOf(environmentId, name), text)
  } catch {
    // The storage is full. An earlier text must not come back in place of this one.
    sessionStorage.removeItem(keyOf(environmentId, name))
  }
}

export const keptText = (environmentId: string, name: string): string | null =>
  sessionStorage.getItem(keyOf(environmentId, name))

export const forget = (environmentId: string, name: string): void =>
  sessionStorage.removeItem(keyOf(environmentId, name))

/** Removes all that the tab keeps of an environment. */
export function forgetAll(environmentId: string): void {
  const names = Object.keys(sessionStorage).filter((key) => key.startsWith(keyOf(environmentId, '')))
  for (const name of names) sessionStorage.removeItem(name)
}
