// The sign-in code in the address fragment, from the link that `notification-gateway login` prints.

/** Removes the code from the address, so that it is not in the history and not used twice. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code')
  if (code === null) return undefined
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return code
}

// A link that is opened in a tab with the dashboard only changes the fragment. The page has to load again with the code.
window.addEventListener('hashchange', () => {
  if (new URLSearchParams(window.location.hash.slice(1)).has('code')) window.location.reload()
})

/** The code with which the page was opened. Read once, before the router reads the address. */
export const signInCode = takeCode()
