// The page that is loading while another one is still shown.
import { createContext } from 'react'

/**
 * Returns the path of the page that is loading, with its environment. Undefined if none is. Asks the router, because React may render much
 * later under load.
 */
export const ComingPage = createContext<() => string | undefined>(() => undefined)
