// Contexts in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

test('someone creates a context, changes its data, finds it by type and deletes it', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await visit('/contexts')
  await page.getByRole('heading', { name: 'No contexts yet' }).waitFor()

  await page.getByRole('button', { name: 'Create context' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Type' }).fill('tenant')
  await dialog.getByRole('textbox', { name: 'Identifier' }).fill('acme inc')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(/identifier must/i).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Identifier' }).fill('acme')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'tenant:acme' }).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Data' }).fill('{"plan": "pro"')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/Enter a JSON object/).waitFor()
  await dialog.getByRole('textbox', { name: 'Data' }).fill('{"plan": "pro"}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Data' }).getByText('"plan": "pro"').waitFor()

  await page.getByRole('link', { name: 'Contexts' }).first().click()
  await page.getByRole('textbox', { name: 'Exact type' }).fill('project')
  await page.getByRole('heading', { name: 'No context matches' }).waitFor()
  await page.getByRole('textbox', { name: 'Exact type' }).fill('tenant')
  await page.getByRole('link', { name: 'tenant:acme' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search by key' }).fill('acm')
  await page.getByRole('link', { name: 'tenant:acme' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No contexts yet' }).waitFor()
  expect(await ask('{ contexts { totalCount } }')).toEqual({ contexts: { totalCount: 0 } })
})
