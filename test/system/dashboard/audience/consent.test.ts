// The consent of a person in the dashboard: preferences for categories, and the record of each change.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const furnish = `mutation {
  createCategory(input: { key: "news", name: "Product news", channels: [{ channel: SMS, enabled: false }] }) {
    userErrors { message }
  }
  createWorkflow(input: {
    identifier: "digest", name: "Monthly digest", categoryKey: "news"
    steps: [{ email: { subject: "A", body: "B" } }, { sms: { body: "A" } }]
  }) { userErrors { message } }
  createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
}`

test('someone turns a category off for a person, sees which rule decides, and reads it in the record', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(furnish)
  await visit('/subscribers/ada/consent')
  await page.getByRole('heading', { name: 'No changes yet' }).waitFor()

  await page.getByRole('tab', { name: 'Preferences' }).click()
  const category = page.getByRole('row', { name: /Product news/ })
  const workflow = page.getByRole('row', { name: /Monthly digest/ })
  await category.getByText('category default').waitFor()
  await workflow.getByText('category default').waitFor()
  await page.getByRole('switch', { name: 'Email for Product news' }).click()
  await category.getByText('own choice').waitFor()
  await workflow.getByText('choice for category').waitFor()
  expect(await page.getByRole('switch', { name: 'Email for Monthly digest' }).isChecked()).toBe(false)
  await page.getByRole('switch', { name: 'Email for Monthly digest' }).click()
  await workflow.getByText('own choice').waitFor()
  await audit()
  await category.getByRole('button', { name: 'Remove the choice Email for Product news' }).click()
  await category.getByText('own choice').waitFor({ state: 'detached' })

  await page.getByRole('tab', { name: 'Consent history' }).click()
  const table = page.getByRole('table', { name: 'Consent history' })
  await table.getByText('Choice removed').waitFor()
  expect(await table.getByRole('row').count()).toBe(4)
  await table.getByRole('row', { name: /Turned off.*Category news.*Email.*API or dashboard/ }).waitFor()
  await table.getByRole('row', { name: /Turned on.*Workflow digest/ }).waitFor()
  await audit()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const [header, ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
  expect(header).toBe('Change,About,Channel,By,Way,Contexts,When')
  expect(lines).toHaveLength(3)
  expect(lines[2]).toMatch(/^Turned off,category news,Email,Your application or team,API or dashboard,,\d{4}-/)

  await page.getByRole('combobox', { name: 'Category' }).fill('prod')
  await page.getByRole('option', { name: 'Product news' }).click()
  await table.getByText('Workflow digest').waitFor({ state: 'detached' })
  expect(await table.getByRole('row').count()).toBe(3)
  await page.getByRole('combobox', { name: 'Way' }).click()
  await page.getByRole('option', { name: 'One-click unsubscribe' }).click()
  await page.getByRole('heading', { name: 'No change matches' }).waitFor()
  await audit()
})
