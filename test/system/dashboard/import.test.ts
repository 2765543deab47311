// The import of subscribers in the dashboard.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

const csv = (text: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('someone imports people from a CSV file, and gets the rows that failed', async ({ skip }) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask('mutation { createSubscriber(input: { subscriberId: "ada", firstName: "A." }) { userErrors { message } } }')
  await visit('/subscribers')
  await page.getByRole('link', { name: 'Import CSV' }).click()
  await page.getByRole('heading', { name: 'Import subscribers' }).waitFor()
  await audit()

  const file = csv(
    [
      'Subscriber ID;first_name;Nickname;email;data;channels',
      'ada;Ada;;ada@example.com;"{""plan"": ""pro""}";"{""push-webhook"": {""deviceTokens"": [""a""]}}"',
      'grace;Grace;Amazing;;;',
      'linus;Linus;;linus@example.com;{plan};',
      'zoë;Zoë;;not an address @ all;;',
    ].join('\r\n'),
  )
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Row 4, column data: must be JSON').waitFor()
  await audit()
  await page.getByRole('combobox', { name: 'Field for the column Nickname' }).click()
  await page.getByRole('option', { name: 'lastName' }).click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 created, 1 updated, 2 failed.').waitFor()
  await page.getByRole('row', { name: /4 data must be JSON/ }).waitFor()
  await page.getByRole('row', { name: /5 email must be/ }).waitFor()
  await audit()
  const written =
    '{ subscribers(orderBy: { field: CREATED_AT, direction: ASC }) { nodes { subscriberId firstName lastName data channels { providerId deviceTokens } } } }'
  expect(await ask(written)).toEqual({
    subscribers: {
      nodes: [
        {
          subscriberId: 'ada',
          firstName: 'Ada',
          lastName: null,
          data: { plan: 'pro' },
          channels: [{ providerId: 'PUSH_WEBHOOK', deviceTokens: ['a'] }],
        },
        { subscriberId: 'grace', firstName: 'Grace', lastName: 'Amazing', data: {}, channels: [] },
      ],
    },
  })

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the failed rows' }).click()
  const failed = await readFile(await (await downloading).path(), 'utf8')
  expect(failed.split('\r\n')).toHaveLength(3)
  expect(failed).toContain('linus,Linus,,linus@example.com,{plan},')
})

test('a file without ids cannot be imported, and the page says why', async ({ skip }) => {
  const { page, visit } = await openStory(skip)
  await visit('/import/subscribers')
  await page.locator('input[type=file]').setInputFiles(csv('name,mail\nAda,ada@example.com\n'))
  await page.getByText('Choose the column that has the subscriberId.').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
})

test('thousands of people are imported page by page', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await visit('/import/subscribers')
  // Long enough for several portions.
  const lines = Array.from({ length: 5_000 }, (_, index) => `person-${index},"${'Ä'.repeat(200)}, ${index}"`)
  await page.locator('input[type=file]').setInputFiles(csv(`subscriberId,firstName\n${lines.join('\n')}\n`))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('5,000 created, 0 updated, 0 failed.').waitFor()
  expect(await ask('{ subscribers(filter: { search: "person-4999" }) { nodes { firstName } } }')).toEqual({
    subscribers: { nodes: [{ firstName: `${'Ä'.repeat(200)}, 4999` }] },
  })
})
