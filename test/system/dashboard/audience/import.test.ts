// The import of subscribers in the dashboard.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../../support/dashboard/dashboard.ts'
import { temporaryFolder } from '../../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

const csv = (text: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('someone imports the good rows of a CSV file after all rows were checked, and gets the others', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask('mutation { createSubscriber(input: { subscriberId: "ada", firstName: "A." }) { userErrors { message } } }')
  await visit('/subscribers')
  await page.getByRole('link', { name: 'Import CSV' }).click()
  await page.getByRole('heading', { name: 'Import subscribers' }).waitFor()

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
  await page.getByText('2 of 4 rows cannot be imported').waitFor()
  await page.getByRole('row', { name: /4 data must be JSON/ }).waitFor()
  await page.getByRole('combobox', { name: 'Field for the column Nickname' }).click()
  await page.getByRole('option', { name: 'lastName' }).click()
  await page.getByText('1 to create, 1 to update. Nothing is written yet.').waitFor()
  await page.getByRole('row', { name: /5 email must be an email address/ }).waitFor()
  await page.getByText('1 row: email must be an email address').waitFor()
  await audit()
  expect(await ask('{ subscribers { totalCount } }')).toEqual({ subscribers: { totalCount: 1 } })
  const checked = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the faulty rows' }).click()
  expect((await readFile(await (await checked).path(), 'utf8')).split('\r\n')).toEqual([
    'Subscriber ID,first_name,Nickname,email,data,channels,problem',
    expect.stringMatching(/^linus,Linus,,linus@example\.com,\{plan\},,"?data must be JSON/),
    'zoë,Zoë,,not an address @ all,,,email must be an email address',
  ])
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
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
  await page.getByText('All rows are valid: 5,000').waitFor()
  await page.getByRole('button', { name: 'Import 5,000 rows' }).click()
  await page.getByText('5,000 created, 0 updated, 0 failed.').waitFor()
  expect(await ask('{ subscribers(filter: { search: "person-4999" }) { nodes { firstName } } }')).toEqual({
    subscribers: { nodes: [{ firstName: `${'Ä'.repeat(200)}, 4999` }] },
  })
})

test('a faulty row at the end of 100,000 is found before anything is written', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await visit('/import/subscribers')
  const lines = Array.from({ length: 99_998 }, (_, index) => `person-${index},Ada,person-${index}@example.com`)
  // The first of these has the id of the first row.
  lines.push('person-0,Ada,', 'last,Eve,nowhere')
  const file = path.join(await temporaryFolder(), 'people.csv')
  await writeFile(file, `subscriberId,firstName,email\n${lines.join('\n')}\n`)
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('progressbar', { name: 'Progress of the check' }).waitFor({ state: 'attached' })
  await page.getByText('1 of 100,000 rows cannot be imported').waitFor({ timeout: 240_000 })
  await page.getByText('99,998 to create, 1 to update.').waitFor()
  await page.getByRole('row', { name: /100001 email must be an email address/ }).waitFor()
  expect(await ask('{ subscribers { totalCount } }')).toEqual({ subscribers: { totalCount: 0 } })
  expect(await page.getByRole('button', { name: 'Import 99,999 rows' }).isEnabled()).toBe(true)
}, 300_000)

test('a check can be stopped and started again, and a file without a good row cannot be imported', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await visit('/import/subscribers')
  const lines = Array.from({ length: 20_000 }, (_, index) => `person-${index},nowhere`)
  await page.locator('input[type=file]').setInputFiles(csv(`subscriberId,email\n${lines.join('\n')}\n`))
  await page.getByRole('button', { name: 'Stop the check' }).click()
  await page.getByText('The check was stopped. Nothing was written.').waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('20,000 of 20,000 rows cannot be imported').waitFor({ timeout: 120_000 })
  await page.getByText('20,000 rows: email must be an email address').waitFor()
  await page.getByText('The file has 19,900 more.').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
  expect(await ask('{ subscribers { totalCount } }')).toEqual({ subscribers: { totalCount: 0 } })
})
