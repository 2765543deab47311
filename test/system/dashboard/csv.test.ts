// Lists as CSV in the dashboard: all rows of the filter, with times for machines and no formulas.
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

test.for([1440, 390])('at %i pixels, someone downloads the list of a filter', async (width, { skip }) => {
  const { page, ask, visit } = await openStory(skip)
  await page.setViewportSize({ width, height: 900 })
  const subscribers = [
    ...Array.from({ length: 150 }, (_, n) => ({ subscriberId: `user-${n}` })),
    {
      subscriberId: 'user-ada',
      firstName: '=1+1',
      lastName: 'Lovelace, "Ada"',
      email: 'ada@example.com',
      phone: '+44',
    },
    { subscriberId: 'other' },
  ]
  await ask('mutation ($input: CreateSubscribersInput!) { createSubscribers(input: $input) { created } }', {
    input: { subscribers },
  })
  await visit('/subscribers?search=user-')
  await page.getByText('151 in total').waitFor()
  const done = await measureStory(page, 'the list of a filter as CSV')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('subscribers.csv')
  await page.getByText('151 rows downloaded.').waitFor()
  await done()
  const [header, ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  expect(header).toBe('Subscriber id,Name,Email,Phone,Created')
  expect(rows).toHaveLength(151)
  const ada = rows.find((row) => row.startsWith('user-ada'))
  expect(ada).toMatch(
    /^user-ada,"'=1\+1 Lovelace, ""Ada""",ada@example\.com,'\+44,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  )
})
