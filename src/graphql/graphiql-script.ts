// What the page of GraphiQL does before GraphiQL starts: finds or opens a session, and adds the examples.
import { examples } from './graphiql-examples.ts'

/** Where the dashboard keeps the sessions of a tab, and what it keeps of each (src/dashboard/session/session.ts). */
const sessions = `
const SESSIONS = 'notification-gateway';
const OPEN_SESSION = \`mutation ($apiKey: String!) {
  openDashboardSession(input: { apiKey: $apiKey }) {
    token
    dashboardSession { access expiresAt environment { id name color } }
    userErrors { message }
  }
}\`;

function readSessions() {
  try {
    const { sessions, current } = JSON.parse(sessionStorage.getItem(SESSIONS)) ?? {};
    return { sessions: Array.isArray(sessions) ? sessions : [], current };
  } catch {
    return { sessions: [] };
  }
}

function send(body, headers = {}) {
  return fetch(location.pathname, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function openSession(apiKey) {
  const response = await send({ query: OPEN_SESSION, variables: { apiKey } });
  const { data, errors = [] } = await response.json();
  const { token, dashboardSession, userErrors = [] } = data?.openDashboardSession ?? {};
  const [error] = [...errors, ...userErrors];
  if (error) throw new Error(error.message);
  const { access, expiresAt, environment } = dashboardSession;
  const session = {
    authorization: 'Dashboard ' + token,
    environmentId: environment.id,
    environmentName: environment.name,
    color: environment.color,
    access,
    expiresAt,
  };
  const others = readSessions().sessions.filter(({ environmentId }) => environmentId !== session.environmentId);
  sessionStorage.setItem(SESSIONS, JSON.stringify({ sessions: [...others, session], current: session.authorization }));
  return session;
}
`

const form = `
function askForKey(root, options, problem = '') {
  root.innerHTML =
    '<form style="font: 16px sans-serif; margin: 20vh auto; max-width: 32rem; padding: 0 1rem">' +
    '<label for="key">API key</label><br>' +
    '<input id="key" type="password" autocomplete="off" autofocus required style="font: inherit; width: 20rem"> ' +
    '<button style="font: inherit">Open GraphiQL</button>' +
    '<p role="alert"></p>' +
    (DASHBOARD ? '<p>No key at hand? <a href="./">Sign in to the dashboard</a> with a link, and open GraphiQL there.</p>' : '') +
    '</form>';
  const form = root.querySelector('form');
  const alert = form.querySelector('p');
  alert.textContent = problem;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      show(root, options, await openSession(form.querySelector('input').value.trim().replace(/^ApiKey /i, '')));
    } catch (error) {
      alert.textContent = error.message;
    }
  });
}
`

/** Its history plugin reads favorites once, and never drops one. It shows the last one first. */
const examplesInHistory = `
function addExamples() {
  if (localStorage.getItem('graphiql:favorites') !== null) return;
  const favorites = EXAMPLES.map((example) => ({ ...example, favorite: true })).reverse();
  localStorage.setItem('graphiql:favorites', JSON.stringify({ favorites }));
}
`

const start = `
function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

function show(root, options, { authorization, environmentName }) {
  addExamples();
  const page = element('div', { id: root.id });
  root.replaceWith(page);
  document.title = environmentName + ' · GraphiQL';
  const name = element('span', { textContent: environmentName });
  const back = element('a', { href: './', textContent: 'Dashboard' });
  const title = DASHBOARD ? name.outerHTML + ' · ' + back.outerHTML : name.outerHTML;
  YogaGraphiQL.renderYogaGraphiQL(page, { ...options, title, additionalHeaders: { Authorization: authorization } });
}

async function openGraphiql(root, options) {
  const { sessions, current } = readSessions();
  const session = sessions.find(({ authorization }) => authorization === current);
  if (session === undefined) return askForKey(root, options);
  try {
    const { status } = await send({ query: '{ __typename }' }, { Authorization: session.authorization });
    if (status === 401) askForKey(root, options, 'Your session has ended. Enter an API key.');
    else show(root, options, session);
  } catch (error) {
    askForKey(root, options, error.message);
  }
}
`

/**
 * Returns the script, which defines `openGraphiql(root, options)`. It opens GraphiQL with the dashboard session of the
 * tab. Without one it asks for an API key, and opens a session with it; the key itself is kept nowhere.
 *
 * @param dashboard true if the page links to the dashboard
 */
export const startScript = (dashboard: boolean): string =>
  [
    `const DASHBOARD = ${JSON.stringify(dashboard)};\nconst EXAMPLES = ${JSON.stringify(examples)};\n`,
    ...[sessions, form, examplesInHistory, start],
  ].join('')
