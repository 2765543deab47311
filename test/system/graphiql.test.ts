// GraphiQL in a browser, as a new user sees it: open the page, paste the API key, run the default query.
import { beforeAll, expect, test } from 'vitest'
import { chromiumPath, noChromium, openPage } from '../support/chromium.ts'
import { build, freshSettings, started } from '../support/gateway-process.ts'

beforeAll(build, 120_000)

test('GraphiQL runs its default query with the API key printed on first start', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const { address, keys } = await started(await freshSettings())
  const page = await openPage(`${address}/graphql`)
  const loaded: string[] = []
  const errors: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.reload()

  await page.getByLabel('API key').fill(keys[0] ?? '')
  await page.getByRole('button', { name: 'Open GraphiQL' }).click()
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByText('A GraphQL schema provides a root type').waitFor()
  await page.getByRole('button', { name: /^Execute query/ }).click()

  const result = page.locator('section[aria-label="Result Window"]')
  await result.getByText('totalCount').waitFor()
  // The editor renders spaces as non-breaking spaces.
  const shown = (await result.locator('.view-lines').innerText()).replaceAll('\u00a0', ' ')
  expect(JSON.parse(shown)).toEqual({
    data: { environment: { name: 'Development' }, subscribers: { totalCount: 0, nodes: [] } },
  })
  // The page must work without internet access.
  expect(loaded.filter((url) => !url.startsWith(address) && !url.startsWith(`blob:${address}`))).toEqual([])
  // The security policy blocks nothing that the page needs.
  expect(errors).toEqual([])
})

test('GraphiQL says that a key is unknown', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const { address } = await started(await freshSettings())
  const page = await openPage(`${address}/graphql`)
  await page.getByLabel('API key').fill('unknown')
  await page.getByRole('button', { name: 'Open GraphiQL' }).click()
  await page.getByText('API key not found').waitFor()
})
