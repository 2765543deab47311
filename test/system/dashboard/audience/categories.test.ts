// Categories in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const createThree = `mutation {
  news: createCategory(input: { key: "news", name: "News" }) { userErrors { message } }
  offers: createCategory(input: { key: "offers", name: "Offers" }) { userErrors { message } }
  invoices: createCategory(input: { key: "invoices", name: "Invoices", isHidden: true }) { userErrors { message } }
}`

const orderQuery = '{ categories(orderBy: { field: POSITION, direction: ASC }) { nodes { key } } }'
const inOrder = (...keys: readonly string[]) => ({ categories: { nodes: keys.map((key) => ({ key })) } })

test('someone creates a category, gives it to a workflow, and deletes it only when no workflow has it', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(`mutation {
    createWorkflow(input: { identifier: "digest", name: "Digest", steps: [{ email: { subject: "A", body: "B" } }] }) {
      userErrors { message }
    }
    createWorkflow2: createWorkflow(input: { identifier: "other", name: "Other" }) { userErrors { message } }
  }`)
  await visit('/categories')
  await page.getByRole('heading', { name: 'No categories yet' }).waitFor()
  await page.getByRole('button', { name: 'Create category' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Key' }).fill('product news')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Product news')
  await dialog.getByRole('combobox', { name: 'SMS' }).click()
  await page.getByRole('option', { name: 'Off' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(/key must/i).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Key' }).fill('product-news')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Product news' }).waitFor()
  await page.getByText('SMS off').waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Description' }).fill('What is new, once a month.')
  await dialog.getByRole('switch', { name: 'Hidden' }).click({ force: true })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No: hidden').waitFor()

  await visit('/workflows/digest?tab=settings')
  await page.getByText('Unsubscribe links turn off the workflow').waitFor()
  await page.getByRole('combobox', { name: 'Category' }).fill('product')
  await page.getByRole('option', { name: 'Product news' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('unsubscribe links turn off the category').waitFor()
  await page.getByRole('combobox', { name: 'Unsubscribe links turn off' }).click()
  await page.getByRole('option', { name: 'Everything' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('unsubscribe links turn off everything').waitFor()
  await audit()
  expect(await ask('{ workflow(identifier: "digest") { unsubscribe category { key } } }')).toEqual({
    workflow: { unsubscribe: 'ALL', category: { key: 'product-news' } },
  })

  await page.getByRole('link', { name: 'Product news' }).click()
  // The page shows what it knew before it has read the category again.
  await page.getByRole('row', { name: 'Workflows 1 workflow' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('Category product-news cannot be deleted yet').waitFor()
  await audit()
  await dialog.getByRole('link', { name: '1 workflow' }).click()
  await page.getByRole('link', { name: 'Digest' }).waitFor()
  expect(await page.getByRole('link', { name: 'Other', exact: true }).count()).toBe(0)

  await page.getByRole('link', { name: 'Digest' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Clear the category' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Unsubscribe links turn off everything', { exact: true }).waitFor()
  await visit('/categories/product-news')
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No categories yet' }).waitFor()
  expect(await ask('{ categories { totalCount } workflow(identifier: "digest") { unsubscribe } }')).toEqual({
    categories: { totalCount: 0 },
    workflow: { unsubscribe: 'ALL' },
  })
})

test('someone changes the order with the keyboard, which keeps the focus and is announced, and by dragging', async ({
  skip,
}) => {
  const { page, visit, ask, becomeReader } = await openStory(skip)
  await ask(createThree)
  await visit('/categories')
  const names = () => page.getByRole('table', { name: 'Categories' }).getByRole('link').allTextContents()
  const down = page.getByRole('button', { name: 'Move News down' })
  await down.focus()
  // Faster than the first change is saved.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect.poll(names).toEqual(['Offers', 'Invoices', 'News'])
  await page.getByText('News is now number 3 of 3.').waitFor({ state: 'attached' })
  // The last cannot be moved down.
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await expect.poll(focused).toBe('Move News up')
  await expect.poll(() => ask(orderQuery)).toEqual(inOrder('offers', 'invoices', 'news'))

  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  await row('News').getByTitle('Drag to another place').dragTo(row('Offers'))
  await expect.poll(names).toEqual(['News', 'Offers', 'Invoices'])
  await expect.poll(() => ask(orderQuery)).toEqual(inOrder('news', 'offers', 'invoices'))

  await becomeReader()
  await visit('/categories')
  await page.getByRole('link', { name: 'News' }).waitFor()
  expect(await page.getByRole('button', { name: /Move|Create/ }).count()).toBe(0)
  expect(await page.getByTitle('Drag to another place').count()).toBe(0)
})

test('an order that misses a new category is not saved, and the list shows the category', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await ask(createThree)
  await visit('/categories')
  await page.getByRole('button', { name: 'Move Offers up' }).waitFor()
  await ask('mutation { createCategory(input: { key: "new", name: "Newest" }) { userErrors { message } } }')
  await page.getByRole('button', { name: 'Move Offers up' }).click()
  await page.getByText('That did not work').waitFor()
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  const links = page.getByRole('table', { name: 'Categories' }).getByRole('link')
  expect(await links.allTextContents()).toEqual(['News', 'Offers', 'Invoices', 'Newest'])
})
