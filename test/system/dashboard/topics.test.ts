// Topics in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard.ts'

beforeAll(buildDashboard, 120_000)

test('someone creates a topic, renames it and deletes it', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await visit('/topics')
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
  await audit()

  await page.getByRole('button', { name: 'Create topic' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Key' }).fill('release notes')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(/key must/i).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Key' }).fill('release-notes')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'release-notes' }).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Release notes')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Release notes' }).waitFor()
  await audit()

  await page.getByRole('link', { name: 'Topics' }).first().click()
  await page.getByRole('link', { name: 'release-notes' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
  expect(await ask('{ topics { totalCount } }')).toEqual({ topics: { totalCount: 0 } })
})
