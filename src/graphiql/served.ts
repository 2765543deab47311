// What the gateway says in the page about its other pages.

/** True if the dashboard is served. Also true in development, where the page says nothing. */
export const hasDashboard = document.querySelector<HTMLMetaElement>('meta[name="dashboard"]')?.content !== 'off'

/** Address of the dashboard. Relative, because a proxy may serve the gateway under a path. */
export const dashboardAddress = './'
