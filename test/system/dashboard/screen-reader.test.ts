// What a person who uses a screen reader learns of changes on the page, by the accessibility tree.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

test('someone hears which page opens, how many results a filter has, and that a change is saved', async ({ skip }) => {
  const { page, ask, visit } = await openStory(skip)
  for (const key of ['news', 'offers', 'newsletter']) {
    await ask('mutation ($input: CreateTopicInput!) { createTopic(input: $input) { topic { id } } }', {
      input: { key, name: key },
    })
  }
  const main = page.getByRole('main')
  const focused = () => page.evaluate(() => document.activeElement?.textContent)

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Topics' }).click()
  await page.getByRole('link', { name: 'offers' }).waitFor()
  await expect.poll(focused).toBe('Topics')
  await expect.poll(() => main.ariaSnapshot()).toMatch(/- text: Topics · Notification gateway\n *- heading "Topics"/)

  await page.getByRole('link', { name: 'offers' }).click()
  await page.getByRole('heading', { name: 'offers', level: 1 }).waitFor()
  await expect.poll(focused).toBe('offers')
  await page.getByRole('link', { name: 'Topics' }).first().click()

  await page.getByRole('searchbox').fill('news')
  await expect.poll(() => main.ariaSnapshot()).toContain('- status: 2 results')
  await page.getByRole('searchbox').fill('nothing')
  await expect.poll(() => main.ariaSnapshot()).toContain('- status: No results')

  await visit('/topics/news')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('News of the day')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('alert')
    .getByText(/saved|updated/i)
    .waitFor()
})
