// Suppressed addresses in the dashboard.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const stored =
  '{ suppressions(orderBy: { field: CREATED_AT, direction: ASC }) { nodes { address channel reason contextKeys } } }'

test('someone suppresses an address, finds it by its exact address, and removes it', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await visit('/suppressions')
  await page.getByRole('heading', { name: 'No address is suppressed' }).waitFor()
  await page.getByRole('button', { name: 'Suppress an address' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Address' }).fill('not an address')
  await dialog.getByRole('button', { name: 'Suppress' }).click()
  await dialog.getByText(/address must/).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Address' }).fill('Ada@Example.com')
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Asked us by phone.')
  await dialog.getByRole('button', { name: 'Suppress' }).click()
  await page.getByText('Nothing more is sent to ada@example.com.').waitFor()
  await page.getByRole('cell', { name: 'Manual Asked us by phone.' }).waitFor()
  await audit()

  await page.getByRole('textbox', { name: 'Exact address' }).fill('grace@example.com')
  await page.getByRole('heading', { name: 'No suppression matches' }).waitFor()
  await page.getByRole('textbox', { name: 'Exact address' }).fill('ADA@example.com')
  await page.getByRole('button', { name: 'Remove ada@example.com' }).click()
  await page.getByText('The next message is sent to the address again.').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Ada@example.com is no longer suppressed.').waitFor()
  expect(await ask(stored)).toEqual({ suppressions: { nodes: [] } })
})

test('someone imports addresses, gets the rows that failed, and exports all as CSV', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask('mutation { createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } } }')
  await visit('/suppressions')
  await page.getByRole('link', { name: 'Import' }).first().click()
  await page.getByRole('heading', { name: 'Import suppressions' }).waitFor()
  const choose = (text: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'bounces.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await choose('email\r\nada@example.com')
  await page.getByText('The file has no column named channel.').waitFor()
  await choose(
    [
      'Channel,Address,Reason,Contexts',
      'email,ada@example.com,hard_bounce,',
      'EMAIL,grace@example.com,,tenant:acme',
      'sms,no number,,',
      'fax,+49151,,',
    ].join('\r\n'),
  )
  await page.getByText('2 suppressed, 0 suppressed already, 2 failed.').waitFor()
  await page.getByRole('row', { name: /4 address must/ }).waitFor()
  await page.getByRole('row', { name: /5 channel must be email or sms, not "fax"/ }).waitFor()
  await audit()
  expect(await ask(stored)).toEqual({
    suppressions: {
      nodes: [
        { address: 'ada@example.com', channel: 'EMAIL', reason: 'HARD_BOUNCE', contextKeys: [] },
        { address: 'grace@example.com', channel: 'EMAIL', reason: 'IMPORT', contextKeys: ['tenant:acme'] },
      ],
    },
  })

  await page.getByRole('link', { name: 'Show suppressions' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: /CSV/ }).click()
  const [header, ...lines] = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n')
  expect(header).toContain('Address,Channel,Reason,Only for,Since,Ends')
  expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual([
    ['grace@example.com', 'EMAIL', 'IMPORT'],
    ['ada@example.com', 'EMAIL', 'HARD_BOUNCE'],
  ])
})

test('a thousand addresses are imported, although the gateway asks again and again to wait', async ({ skip }) => {
  const { page, visit, ask, allow } = await openStory(skip)
  allow(/status of (429|503)/u)
  let requests = 0
  await page.route('**/graphql', async (route) => {
    const isPage = route.request().postData()?.includes('mutation ImportSuppressions(') === true
    requests += isPage ? 1 : 0
    // The second of three requests is rejected.
    if (!isPage || requests % 3 !== 2) return route.continue()
    const isBusy = requests % 2 === 0
    const error = { message: 'Try again', extensions: { code: isBusy ? 'RATE_LIMITED' : 'SERVICE_UNAVAILABLE' } }
    return route.fulfill({ status: isBusy ? 429 : 503, json: { errors: [error] } })
  })
  await visit('/import/suppressions')
  const rows = Array.from({ length: 1_000 }, (_, index) => `email,reader-${index}@example.com`)
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: 'bounces.csv', mimeType: 'text/csv' },
    buffer: Buffer.from(['channel,address', ...rows].join('\n')),
  })
  await page.getByText('1,000 suppressed, 0 suppressed already, 0 failed.').waitFor()
  expect(await ask('{ suppressions { totalCount } }')).toEqual({ suppressions: { totalCount: 1_000 } })
  expect(requests).toBeGreaterThan(10)
})
