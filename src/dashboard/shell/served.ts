// What the gateway serves beside the dashboard, as the page says in its head.

/** True if GraphiQL is served. Also true in development, where the page says nothing. */
export const hasGraphiql = document.querySelector<HTMLMetaElement>('meta[name="graphiql"]')?.content !== 'off'
