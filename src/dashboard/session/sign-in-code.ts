// The sign-in code in the fragment of the address, as `notification-gateway login` prints it.

/** Takes the code out of the address, so that it is neither in the history nor used twice. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code')
  if (code === null) return undefined
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return code
}

/** The code that the page was opened with. Taken once, before the router reads the address. */
export const signInCode = takeCode()
