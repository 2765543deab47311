// What people do in a large environment, on a wide and on a narrow screen. Each story begins on a page of the dashboard.
import type { Page } from 'playwright-core'

/** A message that failed, for a story that finds out why. */
export interface Failure {
  readonly event: { readonly transactionId: string }
  readonly subscriber: { readonly subscriberId: string; readonly email: string }
}

interface LargeStory {
  readonly page: Page
  /** Tells apart what the stories create on each screen. */
  readonly width: number
  readonly failure: Failure
  /** A link that signs in, as the command `login` prints it. */
  readonly link: string
  /** The address of a receiver of messages. */
  readonly receiver: string
}

/** Goes to a page by the navigation, which a narrow screen opens first. */
async function go({ page }: LargeStory, label: string): Promise<void> {
  const burger = page.getByRole('button', { name: 'Navigation' })
  await page.getByRole('banner').waitFor()
  if (await burger.isVisible()) await burger.click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label, exact: true }).click()
  await page.getByRole('main').getByRole('heading', { level: 1, name: label }).waitFor()
}

async function chooseSubscriber({ page, failure }: LargeStory, field: ReturnType<Page['locator']>): Promise<void> {
  await field.fill(failure.subscriber.subscriberId)
  await page
    .getByRole('option', { name: new RegExp(failure.subscriber.subscriberId) })
    .first()
    .click()
}

export const largeStories: Readonly<Record<string, (story: LargeStory) => Promise<void>>> = {
  async 'a link to Home and its chart'({ page, link }) {
    await page.goto(link)
    await page.getByRole('region', { name: 'Messages over time' }).getByText('Sent').first().waitFor()
  },

  async 'why the last email to a person failed'(story) {
    const { page, failure } = story
    await go(story, 'Subscribers')
    await page.getByRole('searchbox', { name: /Search/ }).fill(failure.subscriber.email.replace(/@.*/, ''))
    await page.getByRole('link', { name: failure.subscriber.subscriberId, exact: true }).click()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByRole('link', { name: failure.event.transactionId }).click()
    await page.getByText('no such recipient').first().waitFor()
  },

  async 'what failed last night, and for whom'(story) {
    const { page } = story
    await go(story, 'Home')
    await page
      .getByRole('region', { name: 'Failed messages' })
      .getByRole('link', { name: /failed/ })
      .click()
    await page.getByRole('table', { name: 'Messages' }).getByRole('row').nth(20).waitFor()
    await page.getByRole('button', { name: 'Retry all that match' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/\d+ messages/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  },

  async 'a preference of a person under a context'(story) {
    const { page, failure } = story
    await go(story, 'Subscribers')
    await page.getByRole('searchbox', { name: /Search/ }).fill(failure.subscriber.subscriberId)
    await page.getByRole('link', { name: failure.subscriber.subscriberId, exact: true }).click()
    await page.getByRole('tab', { name: 'Preferences' }).click()
    await page.getByRole('combobox', { name: 'Contexts' }).fill(`tenant:acme-${story.width}`)
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: /Search workflows/ }).fill('newsletter')
    // The row is there before the search, too, and would be replaced under the pointer.
    await page.getByText('1 in total').first().waitFor()
    const row = page.getByRole('row', { name: /Newsletter/ })
    // What people see of the switch: its field is hidden.
    await row.locator('label').click()
    await row.getByText('own choice').waitFor()
  },

  async 'an API key is made and revoked'(story) {
    const { page, width } = story
    await go(story, 'Environments and keys')
    await page.getByRole('main').getByRole('link', { name: 'Demo' }).first().click()
    await page.getByRole('button', { name: 'Create API key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Reports ${width}`)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: `Revoke Reports ${width}` }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row', { name: new RegExp(`Reports ${width}.*Revoked`) }).waitFor()
  },

  async 'an integration and its test message'(story) {
    const { page, width, receiver } = story
    await go(story, 'Integrations')
    await page.getByRole('button', { name: 'Create integration' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Provider' }).fill('email web')
    await page.getByRole('option', { name: 'Email webhook' }).click()
    await dialog.getByLabel('Webhook URL').first().fill(receiver)
    await dialog.getByRole('textbox', { name: 'Identifier' }).fill(`mail-${width}`)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await dialog.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByText('The provider accepted the message').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  },

  async 'an import of 1,000 people with 5 faulty rows'(story) {
    const { page, width } = story
    await go(story, 'Subscribers')
    await page.getByRole('link', { name: 'Import CSV' }).click()
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const email = index % 200 === 0 ? 'no address' : `guest-${width}-${index}@example.com`
      return `guest-${width}-${index},${email}`
    })
    const buffer = Buffer.from(['subscriberId,email', ...rows].join('\n'))
    await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('995 created, 0 updated, 5 failed.').waitFor()
  },

  async 'a workflow is written, saved and triggered'(story) {
    const { page, width, failure } = story
    await go(story, 'Workflows')
    await page.getByRole('button', { name: 'Create workflow' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Order shipped ${width}`)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: `Order shipped ${width}` }).waitFor()
    const preview = page.getByRole('region', { name: 'Preview', exact: true })
    await chooseSubscriber(story, preview.getByRole('combobox', { name: 'Subscriber' }))
    await page.getByRole('button', { name: 'Add step' }).click()
    await page.getByRole('menuitem', { name: /^In-app/ }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello {{ subscriber.firstName }}')
    await page
      .getByText(/^Hello Frances/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Workflow saved.').waitFor()
    await page.getByRole('button', { name: 'Trigger', exact: true }).click()
    await chooseSubscriber(story, dialog.getByRole('combobox', { name: 'Subscribers' }))
    await dialog.getByRole('textbox', { name: 'Transaction id' }).fill(`order-${width}`)
    await dialog.getByRole('button', { name: 'Trigger for real' }).click()
    await dialog.getByRole('link', { name: 'Open the event' }).click()
    await page.getByRole('link', { name: failure.subscriber.subscriberId }).first().waitFor()
  },

  async 'a workflow of a thousand is found by typing'(story) {
    const { page } = story
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Search/ })
      .click()
    await page.getByRole('combobox', { name: 'Search everything' }).fill('newsletter')
    await page
      .getByRole('option', { name: /Newsletter/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  },

  async 'a second tab is signed in'(story) {
    const { page } = story
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByRole('heading', { level: 1 }).first().waitFor()
    await tab.close()
  },
}
