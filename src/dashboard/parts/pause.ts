// The pause between typing and asking the gateway.

/** Time without a key stroke before a search is sent, in milliseconds. */
export const PAUSE = 200
