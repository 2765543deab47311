// GraphiQL: the page that a browser opens at `/graphql`.
import { createHash } from 'node:crypto'

const welcome = `{
  environment { name }
  subscribers(first: 10) {
    totalCount
    nodes { subscriberId firstName email }
  }
}
`

/**
 * Asks for the API key and then opens GraphiQL, which reads the schema only once. The key stays in the memory of the page
 * and is sent with every request.
 */
const openWithKey = `
function openWithKey(root, options) {
  root.innerHTML =
    '<form style="font: 16px sans-serif; margin: 20vh auto; max-width: 32rem; padding: 0 1rem">' +
    '<label for="key">API key</label><br>' +
    '<input id="key" type="password" autocomplete="off" autofocus required style="font: inherit; width: 20rem"> ' +
    '<button style="font: inherit">Open GraphiQL</button>' +
    '<p role="alert"></p></form>';
  const form = root.querySelector('form');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const alert = form.querySelector('p');
    try {
      const key = form.querySelector('input').value.trim().replace(/^ApiKey /i, '');
      const headers = { Authorization: 'ApiKey ' + key };
      const response = await fetch(location.pathname, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      if (response.status === 401) throw new Error('API key not found');
      const page = document.createElement('div');
      page.id = root.id;
      root.replaceWith(page);
      YogaGraphiQL.renderYogaGraphiQL(page, { ...options, additionalHeaders: headers });
    } catch (error) {
      alert.textContent = error.message;
    }
  });
}
`

const START = 'YogaGraphiQL.renderYogaGraphiQL('

/** The page, and its script. */
async function render(): Promise<{ page: string; script: string }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const html = renderGraphiQL({ title: 'Notification gateway', defaultQuery: welcome })
  const scriptStart = html.indexOf('<script>') + '<script>'.length
  const scriptEnd = html.lastIndexOf('</script>')
  const called = html.lastIndexOf(START)
  if (called < scriptStart || called > scriptEnd) throw new Error('the page of GraphiQL has no known form')
  const script = `${openWithKey}${html.slice(scriptStart, called)}openWithKey(${html.slice(called + START.length, scriptEnd)}`
  return { page: html.slice(0, scriptStart) + script + html.slice(scriptEnd), script }
}

/** Only the page's own script runs, and it calls only this gateway. The editor needs inline styles and workers. */
function policyFor(script: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'font-src data:',
    "img-src 'self' data:",
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')
}

/**
 * Returns a function that responds with the page. It needs no API key.
 *
 * The page is loaded and rendered when it is first opened: it takes some 80 MB, and most processes never show it.
 */
export function createGraphiqlPage(): () => Promise<Response> {
  const load = async () => {
    const { page, script } = await render()
    const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policyFor(script) }
    return { headers, body: Buffer.from(page) }
  }
  let loaded: ReturnType<typeof load> | undefined
  return async () => {
    const { headers, body } = await (loaded ??= load())
    return new Response(body, { headers })
  }
}
