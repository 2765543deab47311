// The repetition of requests that fail, by work that takes many requests.

/** Attempts of a request. */
export const MAX_ATTEMPTS = 5

/** Resolves after the pause that follows an attempt, or once the signal is aborted. The pauses double. */
export const pauseAfter = (attempt: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, 500 * 2 ** attempt)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
  })
