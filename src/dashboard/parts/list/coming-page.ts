// The page that is loading while another one is still shown.
import { createContext } from 'react'

/**
 * Returns the path of the page that is loading, undefined if none is. It asks the router, which knows before React renders:
 * under load, that can be some time later.
 */
export const ComingPage = createContext<() => string | undefined>(() => undefined)
