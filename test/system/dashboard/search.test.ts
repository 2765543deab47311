// Search in the dashboard: the palette finds everything by what someone types.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

async function furnish({ ask }: Story): Promise<void> {
  const data = await ask(
    `mutation ($person: CreateSubscriberInput!, $workflow: CreateWorkflowInput!, $topic: CreateTopicInput!,
               $integration: CreateIntegrationInput!) {
      createSubscriber(input: $person) { userErrors { message } }
      createWorkflow(input: $workflow) { userErrors { message } }
      createTopic(input: $topic) { userErrors { message } }
      createIntegration(input: $integration) { userErrors { message } }
    }`,
    {
      person: { subscriberId: 'user-1', firstName: 'Ada', lastName: 'Release', email: 'ada@example.com' },
      workflow: { identifier: 'release-announced', name: 'Release announced', steps: [{ inApp: { body: 'New' } }] },
      topic: { key: 'releases' },
      integration: { identifier: 'release-mail', name: 'Mail', providerId: 'EMAIL_WEBHOOK' },
    },
  )
  expect(Object.values(data as object)).toEqual(Array.from({ length: 4 }, () => ({ userErrors: [] })))
  const to = [{ subscriber: { subscriberId: 'user-1' } }]
  await ask('mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { userErrors { code } } }', {
    input: { workflowIdentifier: 'release-announced', transactionId: 'txn-4711', to },
  })
}

test.for([1440, 390])('at %i pixels, someone finds anything by typing', async (width, { skip }) => {
  const story = await openStory(skip)
  const { page, audit } = story
  await page.setViewportSize({ width, height: 900 })
  await furnish(story)
  const field = page.getByRole('combobox', { name: 'Search everything' })
  const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option')

  const done = await measureStory(page, 'anything is found by typing')
  await page.getByRole('button', { name: 'Search' }).click()
  await field.waitFor()
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
  await field.fill('release')
  await page.getByRole('status').getByText('4 results').waitFor()
  const group = (name: string) => page.getByRole('group', { name }).getByRole('option')
  expect(await group('Subscribers').textContent()).toBe('Ada Releaseuser-1 · ada@example.com')
  expect(await group('Workflows').textContent()).toBe('Release announcedrelease-announced')
  expect(await group('Topics').textContent()).toBe('releases')
  expect(await group('Integrations').textContent()).toBe('Mailrelease-mail')
  await audit()

  // The field names the option that Enter opens.
  await page.setViewportSize({ width, height: 900 })
  await field.press('ArrowDown')
  const second = options.nth(1)
  expect(await second.getAttribute('aria-selected')).toBe('true')
  expect(await field.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'))
  await field.press('Enter')
  await page.waitForURL(/workflows\/release-announced/)

  await page.keyboard.press('Control+k')
  await field.fill('txn-4711')
  await group('Events').click()
  await page.waitForURL(/events\/txn-4711/)

  await page.keyboard.press('Control+k')
  await field.fill('channel end')
  await group('Pages').getByText('Channel endpoints').waitFor()
  await field.press('Enter')
  await page.getByRole('heading', { name: 'Channel endpoints', level: 1 }).waitFor()

  await page.keyboard.press('Control+k')
  await field.fill('nobody has this')
  await page.getByText('Nothing matches.').waitFor()
  await done()
})
