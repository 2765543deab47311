// The places of the dashboard that someone can be at, in an environment with data and in an empty one.
import type { Page } from 'playwright-core'
import type { Story } from './dashboard.ts'
import type { Ids } from './furnish-places.ts'

/** What to do on the page, such as to open a dialog. */
type Act = (page: Page, ask: Story['ask']) => Promise<unknown>

export interface Place {
  readonly path: string
  /** What shows that the page, and then the result of the act, is there. */
  readonly sign: string | RegExp
  readonly act?: Act
  readonly result?: string | RegExp
  /** What to do before the next place, if Escape does not undo the act. */
  readonly end?: Act
}

const place = (path: string, sign: Place['sign']): Place => ({ path, sign })

/** Presses a button, and then, if there is one, an entry of its menu. */
const press =
  (...names: readonly string[]): Act =>
  async (page) => {
    for (const name of names) {
      const target = page.getByRole('button', { name, exact: true }).or(page.getByRole('menuitem', { name }))
      await target.first().click()
    }
  }

/** A dialog that a button of a page opens. */
const dialog = (path: string, sign: Place['sign'], button: string, result: Place['sign']): Place => ({
  ...{ path, sign, result },
  act: press(button),
})

/** A dialog for the first row of a list. */
const selected = (path: string, sign: string, button: string, result: RegExp): Place => ({
  ...{ path, sign, result },
  async act(page) {
    await page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: button }).click()
  },
})

/** The email of the workflow as rich text, and then the form of a button of its toolbar. */
const richText = (result: string, control?: string): Place => ({
  ...{ path: '/workflows/order', sign: 'Add step', result },
  async act(page) {
    const toolbar = page.getByRole('toolbar', { name: 'Formatting' })
    if (!(await toolbar.isVisible())) {
      await page.getByRole('button', { name: /^Email/ }).click()
      await page.getByRole('radiogroup', { name: 'Body' }).getByText('Rich text', { exact: true }).click()
      await toolbar.waitFor()
    }
    if (control !== undefined) await toolbar.getByRole('button', { name: control, exact: true }).click()
  },
})

/** Both versions of a workflow, after somebody else has saved it. */
const conflict: Place = {
  ...place('/workflows/reminder?tab=settings', 'Payload schema'),
  async act(page, ask) {
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine')
    await ask(
      'mutation { updateWorkflow(input: { identifier: "reminder", name: "Theirs" }) { userErrors { message } } }',
    )
    await press('Save')(page, ask)
  },
  result: 'Somebody else saved meanwhile',
  end: press('Load theirs'),
}

const keys =
  (...pressed: readonly string[]): Act =>
  async (page) => {
    for (const key of pressed) await page.keyboard.press(key)
  }

const SUBSCRIPTION = '/topics/news/subscriptions/tk%3Dnews%3Asi%3Dada'

/** Pages with data. */
export const pages = ({ environment, erasure, captured, webhookDelivery }: Ids): readonly Place[] => [
  place('/', 'Recent events'),
  place('/events', 'order-1'),
  place('/events/order-1', 'the inbox of ada is full'),
  place('/events/reminder-1', 'Cancel event'),
  place('/unprocessed-triggers', 'Triggers without an event'),
  place('/deliveries', 'the inbox of ada is full'),
  place('/captured', 'bob@example.com'),
  place(`/captured/${captured}`, 'Headers'),
  place('/workflows', 'Reminder'),
  place('/workflows/order', 'Add step'),
  place('/workflows/order?tab=settings', 'Payload schema'),
  place('/workflows/order?tab=runs', 'order-1'),
  place('/subscribers', 'ada@example.com'),
  place('/subscribers/ada', 'First name'),
  place('/subscribers/ada/credentials', 'device-1'),
  place('/subscribers/ada/preferences', 'All workflows'),
  place('/subscribers/ada/consent', 'Category news'),
  place('/subscribers/ada/topics', 'tk=news:si=ada'),
  place('/subscribers/ada/endpoints', 'hook'),
  place('/subscribers/ada/feed', 'Updates live.'),
  place('/subscribers/ada/activity', 'order-1'),
  place('/subscribers/ada/data', 'Erase the person'),
  place('/import/subscribers', 'Import subscribers'),
  place('/categories', 'Product news'),
  place('/categories/news', 'Channel defaults'),
  place('/topics', 'news'),
  place('/topics/news', 'tk=news:si=ada'),
  place(SUBSCRIPTION, 'Preferences'),
  place('/contexts', 'tenant:acme'),
  place('/contexts/tenant%3Aacme', 'pro'),
  place('/suppressions', 'bounced@example.com'),
  place('/import/suppressions', 'Import suppressions'),
  place('/channel-endpoints', 'hook'),
  place('/channel-endpoints/hook', 'Tool webhook'),
  place('/integrations', 'tools'),
  place('/integrations/mail', 'Email webhook'),
  place('/integrations/texts', 'No texts yet'),
  place('/webhooks', 'message.bounced'),
  place('/webhooks/crm', 'Last response'),
  place(`/webhooks/crm/deliveries/${webhookDelivery}`, 'the inbox of ada is full'),
  place('/environments', 'In use'),
  place(`/environments/${environment}`, 'First key'),
  place(`/erasures/${erasure}`, 'Others still name the person'),
  place('/nowhere', 'Page not found'),
  place('/topics/nothing', /no topic/i),
  place('/categories/nothing', /no category/i),
  place('/webhooks/nothing', /no webhook subscription/i),
]

/** The lists, each with the noun of its texts, and a filter that nothing matches. */
const lists = [
  ['/events', 'event', 'transaction=none'],
  ['/deliveries', 'message', 'transaction=none'],
  ['/workflows', 'workflow', 'search=none'],
  ['/subscribers', 'subscriber', 'search=none'],
  ['/topics', 'topic', 'search=none'],
  ['/contexts', 'context', 'search=none'],
  ['/channel-endpoints', 'channel endpoint', 'subscriber=none'],
  ['/integrations', 'integration', 'active=false'],
  ['/webhooks', 'webhook subscription', 'active=false'],
] as const

export const emptyLists = [
  ...lists.map(([path, noun]) => place(path, `No ${noun}s yet`)),
  place('/captured', 'No captured messages'),
  place('/categories', 'No categories yet'),
  place('/suppressions', 'No address is suppressed'),
]
const withoutMatch = [
  ...lists,
  ['/captured', 'message', 'address=none'],
  ['/suppressions', 'suppression', 'address=none'],
  ['/webhooks/crm', 'webhook message', 'status=SUCCEEDED'],
  ['/subscribers/ada/consent', 'change', 'source=ONE_CLICK'],
] as const
export const listsWithoutMatch = withoutMatch.map(([path, noun, query]) =>
  place(`${path}?${query}`, `No ${noun} matches`),
)
export const failedLists = [...lists.map(([path]) => path), '/captured', '/categories', '/suppressions'].map((path) =>
  place(path, 'Out of order'),
)

/** Dialogs, menus and questions. */
export const dialogs = ({ environment, staging }: Ids): readonly Place[] => [
  { ...place('/', 'Recent events'), act: press('Development'), result: 'Use another API key' },
  { ...place('/', 'Recent events'), act: press('Development', 'Use another API key'), result: 'Sign in' },
  { ...place('/', 'Recent events'), act: keys('Control+k'), result: 'Pages' },
  { ...place('/', 'Recent events'), act: keys('?'), result: 'Keys' },
  dialog('/events/reminder-1', 'Cancel event', 'Cancel event', 'Cancel the event'),
  dialog('/events/reminder-1', 'Cancel event', 'Cancel run', /^Cancel the run for ada/),
  dialog('/events/reminder-1?outcome=PENDING', 'Cancel event', 'Cancel all that match', /^Cancel \d runs?\?/),
  dialog('/events/order-1', 'Retry recipients', 'Retry recipients', 'With the current workflow'),
  selected('/events', 'reminder-1', 'Cancel', /^Cancel \d events?\?/),
  selected('/deliveries', 'order-1', 'Retry', /^Retry \d messages?\?/),
  dialog('/deliveries?status=FAILED', 'order-1', 'Retry all that match', /^Retry \d/),
  dialog('/workflows', 'Reminder', 'Create workflow', 'Identifier'),
  dialog('/workflows/order', 'Add step', 'Add step', 'Digest'),
  dialog('/workflows/order', 'Add step', 'Trigger', 'Trigger for real'),
  dialog('/workflows/order', 'Add step', 'Pause', 'Reason'),
  dialog('/workflows/order', 'Add step', 'Stop', /^Stop workflow order/),
  dialog('/workflows/order', 'Add step', 'Delete', /^Delete workflow/),
  richText('Sorry,'),
  richText('Insert link', 'Link'),
  richText('Insert image', 'Image'),
  richText('Insert button', 'Button'),
  richText('Insert variable', 'Variable'),
  selected('/workflows/reminder?tab=runs', 'reminder-1', 'Cancel', /^Cancel \d runs?\?/),
  conflict,
  dialog('/subscribers', 'ada@example.com', 'Create subscriber', 'Subscriber id'),
  selected('/subscribers', 'ada@example.com', 'Delete', /^Delete \d subscribers?\?/),
  dialog('/subscribers/ada', 'First name', 'Edit', 'Last name'),
  dialog('/subscribers/ada', 'First name', 'Delete', /^Delete subscriber/),
  dialog('/subscribers/ada/credentials', 'device-1', 'Add credentials', 'Provider'),
  dialog('/subscribers/ada/topics', 'tk=news:si=ada', 'Subscribe to a topic', 'Topic'),
  dialog('/subscribers/ada/data', 'Erase the person', 'Erase the person', /^Type the subscriber id/),
  dialog('/categories', 'Product news', 'Create category', 'Channel defaults'),
  dialog('/categories/news', 'Channel defaults', 'Edit', 'Hidden'),
  dialog('/categories/news', 'Channel defaults', 'Delete', /cannot be deleted yet/),
  dialog('/categories/empty', 'Channel defaults', 'Delete', /^Delete category/),
  dialog('/suppressions', 'bounced@example.com', 'Suppress an address', 'Note'),
  dialog('/suppressions', 'bounced@example.com', 'Remove bounced@example.com', /^Remove bounced/),
  dialog('/topics', 'news', 'Create topic', 'Key'),
  dialog('/topics/news', 'tk=news:si=ada', 'Edit', 'Name'),
  dialog('/topics/news', 'tk=news:si=ada', 'Delete', /^Delete topic/),
  dialog('/topics/news', 'tk=news:si=ada', 'Add subscription', 'Add preference'),
  selected('/topics/news', 'tk=news:si=ada', 'Unsubscribe', /^Unsubscribe \d subscriptions?\?/),
  dialog(SUBSCRIPTION, 'Preferences', 'Edit', 'Add preference'),
  dialog('/contexts', 'tenant:acme', 'Create context', 'Type'),
  dialog('/contexts/tenant%3Aacme', 'pro', 'Edit', 'Data'),
  dialog('/contexts/tenant%3Aacme', 'pro', 'Delete', /^Delete context/),
  dialog('/channel-endpoints', 'hook', 'Create channel endpoint', 'Identifier'),
  dialog('/channel-endpoints/hook', 'Tool webhook', 'Edit', 'Add header'),
  dialog('/channel-endpoints/hook', 'Tool webhook', 'Delete', /^Delete channel endpoint/),
  dialog('/integrations', 'tools', 'Create integration', 'Provider'),
  dialog('/integrations/mail', 'Email webhook', 'Send a test message', 'Email address'),
  dialog('/integrations/mail', 'Email webhook', 'Edit', 'Name'),
  dialog('/integrations/mail', 'Email webhook', 'Pause', 'Reason'),
  dialog('/integrations/mail', 'Email webhook', 'Delete', /^Delete integration/),
  dialog('/integrations/texts', 'No texts yet', 'Edit replies', 'Answer to HELP'),
  dialog('/webhooks', 'message.bounced', 'Create webhook subscription', 'Include content'),
  dialog('/webhooks/crm', 'Last response', 'Send a test message', /^An example message/),
  dialog('/webhooks/crm', 'Last response', 'Rotate secret', 'Keep the old secret for'),
  dialog('/webhooks/crm', 'Last response', 'Replay messages', 'Until'),
  dialog('/webhooks/crm', 'Last response', 'Edit', 'Include content'),
  dialog('/webhooks/crm', 'Last response', 'Delete', /^Delete webhook subscription/),
  dialog('/environments', 'In use', 'Create environment', 'Color'),
  dialog(`/environments/${environment}`, 'First key', 'Edit', 'Color'),
  dialog(`/environments/${environment}`, 'First key', 'Create API key', 'Access'),
  dialog(`/environments/${environment}`, 'First key', 'Pause', 'Reason'),
  dialog(`/environments/${environment}`, 'First key', 'Revoke First key', /^Revoke API key First key/),
  selected(`/environments/${environment}`, 'First key', 'Revoke', /^Revoke \d API keys?\?/),
  dialog(`/environments/${staging}`, 'First key', 'Delete', /^Delete environment Staging/),
  {
    ...place('/topics', 'news'),
    async act(page, ask) {
      await press('Create topic')(page, ask)
      await page.getByRole('dialog').getByRole('textbox', { name: 'Key' }).fill('offers')
      await page.keyboard.press('Escape')
    },
    result: 'Discard your changes?',
  },
]
