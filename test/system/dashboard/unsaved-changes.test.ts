// Nothing that someone has typed in the dashboard is lost: dialogs ask before they close.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { measureStory } from '../../support/dashboard/meter.ts'

beforeAll(buildDashboard, 120_000)

test('a dialog with changes asks before it closes, however it is closed', async ({ skip }) => {
  const { page, visit, ask } = await openStory(skip)
  await visit('/topics')
  const create = page.getByRole('button', { name: 'Create topic' }).first()
  const dialog = page.getByRole('dialog', { name: 'Create topic' })
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  const key = dialog.getByRole('textbox', { name: 'Key' })
  await create.click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await create.click()
  await key.fill('releases')
  const ways = {
    escape: () => page.keyboard.press('Escape'),
    beside: () => page.mouse.click(5, 400),
    button: () => dialog.locator('.mantine-Modal-close').click(),
    address: () => page.goBack(),
  }
  for (const close of Object.values(ways)) {
    await close()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await key.inputValue()).toBe('releases')
  }
  await ways.escape()
  await question.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => create.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await ask('{ topics { totalCount } }')).toEqual({ topics: { totalCount: 0 } })

  // Saved changes are no changes.
  await create.click()
  await key.fill('releases')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'releases', level: 1 }).waitFor()
  // Its button is not part of the form.
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Releases')
  await page.goBack()
  await question.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'Topics', level: 1 }).waitFor()
})

test('a category asks before its changes are lost, in the dialog that creates it and in the one that edits it', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask('mutation { createCategory(input: { key: "news", name: "News" }) { userErrors { message } } }')
  const dialog = page.getByRole('dialog', { name: /category$/ })
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  const choose = async (option: string) => {
    await dialog.getByRole('combobox', { name: 'SMS' }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const changes = {
    text: () => dialog.getByRole('textbox', { name: 'Description' }).fill('Once a week.'),
    hidden: () => dialog.getByRole('switch', { name: 'Hidden' }).click({ force: true }),
    channel: () => choose('Off'),
  }
  for (const [path, opener] of [
    ['/categories', 'Create category'],
    ['/categories/news', 'Edit'],
  ] as const) {
    await visit(path)
    const button = page.getByRole('button', { name: opener }).first()
    for (const change of Object.values(changes)) {
      await button.click()
      await dialog.waitFor()
      await change()
      await page.keyboard.press('Escape')
      await question.waitFor()
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      // The way back asks, too.
      await page.goBack()
      await question.getByRole('button', { name: 'Discard' }).waitFor()
      if (change === changes.text) await audit()
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      await dialog.locator('.mantine-Modal-close').click()
      await question.getByRole('button', { name: 'Discard' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
  }
  expect(await ask('{ categories { nodes { key description isHidden channels { channel } } } }')).toEqual({
    categories: { nodes: [{ key: 'news', description: null, isHidden: false, channels: [] }] },
  })

  // Saved changes are no changes.
  await page.getByRole('button', { name: 'Edit' }).click()
  await changes.text()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Categories' }).first().click()
  await page.getByRole('heading', { name: 'Categories', level: 1 }).waitFor()
})

const createWorkflow = `mutation ($input: CreateWorkflowInput!) {
  createWorkflow(input: $input) { userErrors { message } }
}`

test('removed steps come back, and the draft survives a reload until it is saved, discarded or signed out', async ({
  skip,
}) => {
  const { page, visit, ask, audit, becomeReader } = await openStory(skip)
  const steps = [{ inApp: { stepId: 'feed', body: 'On its way' } }, { sms: { stepId: 'text', body: 'On its way' } }]
  await ask(createWorkflow, { input: { identifier: 'order', name: 'Order', steps } })
  await visit('/workflows/order')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const focused = (name: string) => button(name).and(page.locator(':focus')).waitFor()
  await button('Remove feed').click()
  await focused('Remove text')
  await page.keyboard.press('Enter')
  await focused('Add step')
  await page.getByRole('alert').filter({ hasText: 'Step feed removed.' }).waitFor()
  await audit()
  // The key brings back the latest, and the button any of them. Both return to their place.
  await page.keyboard.press('Control+z')
  await focused('Remove text')
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await focused('Remove feed')
  await expect.poll(() => page.getByRole('button', { name: /^Remove / }).count()).toBe(2)
  expect(
    await page
      .getByRole('button', { name: /^Remove / })
      .first()
      .getAttribute('aria-label'),
  ).toBe('Remove feed')
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })

  const name = page.getByRole('textbox', { name: 'Name' })
  const notice = page.getByText(/^Your unsaved changes of .* are restored\.$/)
  const shows = (text: string) => expect.poll(() => name.inputValue()).toBe(text)
  await page.getByRole('tab', { name: 'Settings' }).click()
  const done = await measureStory(page, 'a draft that survives a reload')
  await name.fill('Mine')
  await page.reload()
  await notice.waitFor()
  await shows('Mine')
  await done()
  await audit()
  await ask(`mutation {
    updateWorkflow(input: { identifier: "order", name: "Theirs" }) { userErrors { message } }
  }`)
  await page.reload()
  const conflict = page.getByRole('dialog', { name: 'Somebody else saved meanwhile' })
  await conflict.getByRole('row', { name: /^Name Theirs Mine/ }).waitFor()
  await conflict.getByRole('button', { name: 'Load theirs' }).click()
  await shows('Theirs')
  await name.fill('Mine again')
  await page.reload()
  await page.getByRole('status').getByRole('button', { name: 'Discard' }).click()
  await shows('Theirs')
  expect(await notice.count()).toBe(0)
  await name.fill('Mine again')
  await button('Save').click()
  await page.getByText('Workflow saved.').waitFor()
  const kept = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes(' kept ')))
  await expect.poll(kept).toEqual([])
  await name.fill('Not for the next one')
  await expect.poll(async () => (await kept()).length).toBe(1)
  await becomeReader()
  expect(await kept()).toEqual([])
})

test('two people edit a person, a topic and a context, and the second sees both versions and chooses', async ({
  skip,
}) => {
  const { page, visit, ask, audit } = await openStory(skip)
  await ask(`mutation {
    createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    createTopic(input: { key: "news" }) { userErrors { message } }
    createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } }
  }`)
  const objects = [
    {
      path: '/subscribers/ada',
      heading: 'ada',
      field: 'First name',
      change: 'updateSubscriber',
      theirs: 'subscriberId: "ada", firstName: "Theirs"',
    },
    {
      path: '/topics/news',
      heading: 'news',
      field: 'Name',
      change: 'updateTopic',
      theirs: 'key: "news", name: "Theirs"',
    },
    {
      path: '/contexts/tenant:acme',
      heading: 'acme',
      field: 'Data',
      change: 'updateContext',
      theirs: 'key: "tenant:acme", data: { a: "Theirs" }',
    },
  ]
  const conflict = page.getByRole('dialog', { name: 'Somebody else saved meanwhile' })
  for (const { path, heading, field, change, theirs } of objects) {
    const mine = field === 'Data' ? '{"a":"Mine"}' : 'Mine'
    await visit(path)
    // The former page, whose button has the same name, is shown until this one is loaded.
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const input = page.getByRole('dialog').getByRole('textbox', { name: field })
    await input.fill(mine)
    await ask(`mutation { ${change}(input: { ${theirs} }) { userErrors { message } } }`)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await conflict.getByRole('row', { name: new RegExp(`^${field}.*Theirs.*Mine`) }).waitFor()
    // Escape closes only the dialog above.
    await page.keyboard.press('Escape')
    await conflict.waitFor({ state: 'detached' })
    expect(await input.inputValue()).toBe(mine)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    if (field === 'Name') await audit()
    await conflict.getByRole('button', { name: field === 'Data' ? 'Load theirs' : 'Overwrite with mine' }).click()
    if (field === 'Data') {
      await expect.poll(() => input.inputValue()).toContain('Theirs')
      await page.keyboard.press('Escape')
    }
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(await ask('{ subscriber(subscriberId: "ada") { firstName } topic(key: "news") { name } }')).toEqual({
    subscriber: { firstName: 'Mine' },
    topic: { name: 'Mine' },
  })
})
