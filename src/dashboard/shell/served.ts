// Other pages that the gateway serves, according to the page's head.

/** True if GraphiQL is served. Also true in development, where the head has no such information. */
export const hasGraphiql = document.querySelector<HTMLMetaElement>('meta[name="graphiql"]')?.content !== 'off'
