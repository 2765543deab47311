// GraphiQL in a browser, as a new user sees it: open the page, paste the API key, run the default query.
import { beforeAll, expect, test } from 'vitest'
import { chromiumPath, noChromium, openPage, paste } from '../support/chromium.ts'
import { build, freshSettings, started } from '../support/gateway-process.ts'

beforeAll(build, 120_000)

test('GraphiQL runs its default query with the API key printed on first start', async ({ skip }) => {
  skip(chromiumPath === undefined, noChromium)
  const { address, keys } = await started(await freshSettings())
  const page = await openPage(`${address}/graphql`)
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await page.reload()

  await page.getByRole('button', { name: 'Headers' }).click()
  await page.locator('section[aria-label="Headers"] .graphiql-editor:not(.hidden)').click()
  await page.keyboard.press('ControlOrMeta+A')
  await paste(page, JSON.stringify({ Authorization: `ApiKey ${keys[0]}` }))
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
})
