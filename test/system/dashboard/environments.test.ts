// Environments and API keys in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'
import { openWatchedPage } from '../../support/dashboard/watch.ts'
import { send } from '../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

test('someone creates an environment, copies its key and signs in with it', async ({ skip }) => {
  const { page, address, visit, ask, audit } = await openStory(skip)
  await visit('/environments')
  const row = page.getByRole('row', { name: /Development.*In use/ })
  await row.waitFor()

  await page.getByRole('button', { name: 'Create environment' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Production')
  await dialog.getByRole('textbox', { name: 'Color' }).fill('#0d9488')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('An environment named "Production" already exists').waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Staging')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('It cannot be read again.').waitFor()
  await audit()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  const key = await page.evaluate(() => navigator.clipboard.readText())
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Staging' }).waitFor()
  await page.getByRole('row', { name: /First key/ }).waitFor()

  const { page: other } = await openWatchedPage(address)
  await other.getByRole('textbox', { name: 'API key' }).fill(key)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('button', { name: 'Staging' }).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Preview')
  await dialog.getByRole('textbox', { name: 'Days that events are kept' }).fill('7')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Preview' }).waitFor()
  await page.getByText('7 days').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await audit()
  await dialog.getByRole('textbox', { name: 'Type Preview to confirm' }).fill('Preview')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Environment Preview deleted.').waitFor()
  expect(await ask('{ environments { nodes { name } } }')).toEqual({
    environments: { nodes: [{ name: 'Development' }, { name: 'Production' }] },
  })
})

test('an environment for development captures its messages unless someone chooses otherwise', async ({ skip }) => {
  const { page, visit, audit } = await openStory(skip)
  const dialog = page.getByRole('dialog')
  await visit('/environments')
  await page.getByRole('button', { name: 'Create environment' }).click()
  const sending = dialog.getByRole('combobox', { name: 'Messages are' })
  await expect.poll(() => sending.inputValue()).toBe('Sent')
  await dialog.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Development' }).click()
  await expect.poll(() => sending.inputValue()).toBe('Captured, not sent')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Preview')
  await audit()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: 'Type Development' }).waitFor()
  await page.getByRole('row', { name: 'Messages Captured, not sent' }).waitFor()
})

test('someone creates a key with read access and revokes it', async ({ skip }) => {
  const { page, address, visit, audit } = await openStory(skip)
  await visit('/environments')
  await page.getByRole('link', { name: 'Development' }).first().click()
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Reports')
  // Only a session with the access ADMIN creates such keys.
  expect(await dialog.getByRole('radio', { name: 'Admin' }).count()).toBe(0)
  await dialog.getByRole('radio', { name: 'Read-only' }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const key = await dialog.getByRole('textbox', { name: 'API key' }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: /Reports.*Read-only.*never.*Active/ }).waitFor()
  expect((await send(address, key, '{ __typename }')).status).toBe(200)

  await page.getByRole('button', { name: 'Revoke Reports' }).click()
  await audit()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('row', { name: /Reports.*Revoked/ }).waitFor()
  expect((await send(address, key, '{ __typename }')).status).toBe(401)
})

test('a new name and color of the environment in use show in the header at once', async ({ skip }) => {
  const { page, visit } = await openStory(skip)
  await visit('/environments')
  await page.getByRole('link', { name: 'Development' }).first().click()
  // The environment of the session itself cannot be deleted.
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Sandbox')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Sandbox' }).waitFor()
})

test('someone allows unsigned sessions, and Home warns until they are off again', async ({ skip }) => {
  const { page, visit, audit } = await openStory(skip)
  const dialog = page.getByRole('dialog')
  const unsigned = dialog.getByRole('switch', { name: 'Allow unsigned sessions' })
  const edit = async () => {
    await visit('/environments')
    await page.getByRole('link', { name: 'Development' }).first().click()
    await page.getByRole('button', { name: 'Edit' }).click()
  }
  const save = () => dialog.getByRole('button', { name: 'Save' }).click()
  await edit()
  await unsigned.click({ force: true })
  await audit()
  await save()
  await page.getByRole('row', { name: 'Browser sessions Unsigned ones are allowed' }).waitFor()
  await visit('/')
  const warning = page.getByRole('status').filter({ hasText: 'Unsigned sessions are allowed' })
  await warning.waitFor()
  await audit()
  await edit()
  await unsigned.click({ force: true })
  await save()
  await page.getByRole('row', { name: 'Browser sessions Signed' }).waitFor()
  await visit('/')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await warning.waitFor({ state: 'detached' })
})

test('with a FULL key the page can change the environments of the key, and no others', async ({ skip }) => {
  const { page, ask, visit } = await openStory(skip)
  await ask('mutation { createEnvironment(input: { name: "Staging", color: "#0d9488" }) { userErrors { message } } }')
  const writes = page.getByRole('button', { name: /Edit|Delete|Create API key/ })
  const open = async (name: string) => {
    await visit('/environments')
    await page.getByRole('link', { name }).first().click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }
  await open('Staging')
  await page.getByRole('row', { name: /First key/ }).waitFor()
  expect(await writes.allTextContents()).toEqual(['Edit', 'Delete', 'Create API key'])
  await open('Production')
  await page.getByText('must be the environment of this API key').waitFor()
  expect(await writes.allTextContents()).toEqual([])
})

test('with a READ_ONLY key, the page shows environments and keys but cannot change them', async ({ skip }) => {
  const { page, ask, visit, audit } = await openStory(skip)
  const { createApiKey } = (await ask(
    'mutation { createApiKey(input: { name: "support", access: READ_ONLY }) { newApiKey { key } } }',
  )) as { createApiKey: { newApiKey: { key: string } } }
  await page.getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill(createApiKey.newApiKey.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()

  await visit('/environments')
  await page.getByRole('link', { name: 'Development' }).first().click()
  await page.getByRole('row', { name: /support.*Read-only/ }).waitFor()
  const writes = page.getByRole('button', { name: /Create|Edit|Delete|Revoke/ })
  expect(await writes.count()).toBe(0)
  await audit()
  await visit('/environments')
  await page.getByRole('link', { name: 'Production' }).click()
  // Its keys are managed with its own key.
  await page.getByText('must be the environment of this API key').waitFor()
})
