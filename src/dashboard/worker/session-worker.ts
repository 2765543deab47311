// The service worker that passes the sign-in from one tab of the dashboard to the others. It keeps and fetches nothing.

/** The library of workers only knows the scope of workers in general. */
const scope = self as unknown as ServiceWorkerGlobalScope

/** The tabs of the dashboard, and no other page of the origin. A page cannot change the address that it came from. */
async function tabs(): Promise<readonly WindowClient[]> {
  const clients = await scope.clients.matchAll({ type: 'window' })
  return clients.filter(({ url, frameType }) => {
    const { origin, pathname } = new URL(url)
    return frameType === 'top-level' && origin + pathname === scope.registration.scope
  })
}

/** Passes the message of a tab to all others. A tab that asks and is the only one learns that. */
async function pass({ source, data }: ExtendableMessageEvent): Promise<void> {
  const all = await tabs()
  const sender = all.find(({ id }) => source !== null && 'id' in source && id === source.id)
  if (sender === undefined) return
  const others = all.filter(({ id }) => id !== sender.id)
  for (const other of others) other.postMessage(data)
  if (others.length === 0) sender.postMessage({ kind: 'alone' })
}

scope.addEventListener('install', () => void scope.skipWaiting())
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('message', (event) => event.waitUntil(pass(event)))
