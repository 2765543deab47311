// The pause in typing after which the gateway is asked.

/** Milliseconds without a keystroke before a search is sent. */
export const PAUSE = 200
