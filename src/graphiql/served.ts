// Other pages that the gateway serves, according to the page's head.

/** True if the dashboard is served. Also true in development, where the head has no such information. */
export const hasDashboard = document.querySelector<HTMLMetaElement>('meta[name="dashboard"]')?.content !== 'off'

/** The address of the dashboard. Relative, because a proxy may serve the gateway under a path. */
export const dashboardAddress = './'
