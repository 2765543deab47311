// Addresses of the dashboard: each names the environment of its page.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory, type Story } from '../../support/dashboard/dashboard.ts'
import { send } from '../../support/process/gateway-process.ts'

beforeAll(buildDashboard, 120_000)

interface Environment {
  readonly key: string
  readonly slug: string
  /** Creates a topic in the environment. */
  readonly createTopic: (key: string) => Promise<void>
}

async function environmentOf(address: string, key: string): Promise<Environment> {
  const { body } = await send(address, key, '{ environment { slug } }')
  const { environment } = body.data as { environment: { slug: string } }
  const create = 'mutation ($key: String!) { createTopic(input: { key: $key, name: $key }) { userErrors { message } } }'
  const createTopic = async (topic: string) => {
    expect((await send(address, key, create, { key: topic })).body).toMatchObject({ data: { createTopic: {} } })
  }
  return { key, slug: environment.slug, createTopic }
}

/** Both environments. The story is signed in to Development. */
async function bothOf({ address, key, productionKey }: Story) {
  return { development: await environmentOf(address, key), production: await environmentOf(address, productionKey) }
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'API key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs out, and signs in with the ADMIN key of Production. */
async function becomeAdmin({ page }: Story, { key }: Environment): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(page, key)
  await page.getByRole('banner').getByRole('button', { name: 'Production' }).waitFor()
}

const hashOf = (page: Page) => new URL(page.url()).hash

test('the address names the environment, and one of an earlier release opens in the environment of the session', async ({
  skip,
}) => {
  const story = await openStory(skip)
  const { page, visit } = story
  const { development } = await bothOf(story)
  await development.createTopic('news')
  await expect.poll(() => hashOf(page)).toBe(`#/${development.slug}`)
  await visit('/topics?page=1')
  await page.getByRole('link', { name: 'news', exact: true }).waitFor()
  expect(hashOf(page)).toBe(`#/${development.slug}/topics?page=1`)
  await page.getByRole('link', { name: 'news', exact: true }).click()
  await page.getByRole('heading', { name: 'news' }).waitFor()
  expect(hashOf(page)).toBe(`#/${development.slug}/topics/news`)
  await page.goBack()
  await page.getByRole('heading', { name: 'Topics' }).waitFor()
  await visit('/nowhere')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(hashOf(page)).toBe(`#/${development.slug}`)
})

test('a pasted address opens the other environment for an ADMIN session, and going back returns', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  const { development, production } = await bothOf(story)
  await development.createTopic('news')
  await becomeAdmin(story, production)
  await visit(`/${development.slug}/topics/news`)
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).waitFor()
  await page.getByRole('heading', { name: 'news' }).waitFor()
  await page.goBack()
  await page.getByRole('banner').getByRole('button', { name: 'Production' }).waitFor()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.goForward()
  await page.reload()
  await page.getByRole('heading', { name: 'news' }).waitFor()
})

test('an address of an environment that the session cannot open asks for a key of it', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, audit } = story
  const { production } = await bothOf(story)
  await production.createTopic('outages')
  await visit(`/${production.slug}/topics`)
  await page.getByText(`Your session cannot open the environment "${production.slug}".`).waitFor()
  await audit()
  await page.getByRole('link', { name: 'Go to Development' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await visit(`/${production.slug}/topics`)
  await signIn(page, production.key)
  await page.getByRole('link', { name: 'outages', exact: true }).waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Production' }).waitFor()
})

test('an address opened before the sign-in is the page after it', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  const { development, production } = await bothOf(story)
  await development.createTopic('news')
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await visit(`/${development.slug}/topics`)
  await signIn(page, production.key)
  await page.getByRole('link', { name: 'news', exact: true }).waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).waitFor()
})

test.for([1440, 390])('switching at %i pixels stays on the list that the page belongs to', async (width, { skip }) => {
  const story = await openStory(skip)
  const { page, visit } = story
  await page.setViewportSize({ width, height: 800 })
  const { development, production } = await bothOf(story)
  await production.createTopic('outages')
  await becomeAdmin(story, production)
  await visit('/topics/outages')
  await page.getByRole('heading', { name: 'outages' }).waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Production' }).click()
  await page.getByRole('menuitem', { name: 'Development' }).click()
  await page.getByRole('heading', { name: 'No topics yet' }).waitFor()
  expect(hashOf(page)).toBe(`#/${development.slug}/topics`)
})

test('switching asks before unsaved changes are lost', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask } = story
  const { development, production } = await bothOf(story)
  await ask(
    'mutation { createWorkflow(input: { identifier: "order", name: "Order", steps: [{ inApp: { body: "Shipped" } }] }) { userErrors { message } } }',
  )
  await becomeAdmin(story, production)
  await visit(`/${development.slug}/workflows/order`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await page.getByRole('tab', { name: 'Settings' }).click()
  await name.fill('Order shipped')
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  expect(await name.inputValue()).toBe('Order shipped')
  expect(hashOf(page)).toContain(`#/${development.slug}/workflows/order`)
  await page.getByRole('banner').getByRole('button', { name: 'Development' }).click()
  await page.getByRole('menuitem', { name: 'Production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
  await page.getByRole('banner').getByRole('button', { name: 'Production' }).waitFor()
})
