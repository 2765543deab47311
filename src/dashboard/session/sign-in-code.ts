// The sign-in code in the address fragment, from the link that `notification-gateway login` prints.

/** Removes the code from the address, so that it is not in the history and not used twice. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code')
  if (code === null) return undefined
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return code
}

/** The code with which the page was opened. Read once, before the router reads the address. */
export const signInCode = takeCode()
