// Webhook subscriptions in the dashboard.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory, type Story } from '../../../support/dashboard/dashboard.ts'
import { useReceiver } from '../../../support/delivery/receiver.ts'
import { verified } from '../../../support/delivery/webhooks.ts'

beforeAll(buildDashboard, 120_000)
const receiver = useReceiver()

const settings = { ALLOW_PRIVATE_ADDRESSES: 'on' }

/** Creates a subscription `crm`. */
const subscribe = ({ ask }: Story) =>
  ask(
    `mutation ($url: String!) {
      createWebhookSubscription(input: { identifier: "crm", url: $url, eventTypes: [SUBSCRIBER_CREATED] }) {
        userErrors { message }
      }
    }`,
    { url: `${receiver.url}/crm` },
  )

async function sendTest({ page }: Story): Promise<void> {
  await page.getByRole('button', { name: 'Send a test message' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('someone subscribes a receiver, and verifies its test message with the secret, which is shown once', async ({
  skip,
}) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  const dialog = page.getByRole('dialog')
  await visit('/webhooks')
  await page.getByRole('heading', { name: 'No webhook subscriptions yet' }).waitFor()
  await page.getByRole('button', { name: 'Create webhook subscription' }).first().click()
  await dialog.getByRole('textbox', { name: 'Identifier' }).fill('crm')
  await dialog.getByRole('textbox', { name: 'URL' }).fill('https://user:name@example.com/hook')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Choose at least one type.').waitFor()
  await dialog.getByRole('combobox', { name: 'Event types' }).fill('bounced')
  await page.getByRole('option', { name: 'message.bounced' }).click()
  await dialog.getByRole('combobox', { name: 'Event types' }).fill('subscriber.c')
  await page.getByRole('option', { name: 'subscriber.created' }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('combobox', { name: 'Filter by contexts' }).click()
  await page.getByRole('option', { name: 'Messages without a context' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText(/must have no user name/).waitFor()
  await audit()
  await dialog.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/crm`)
  await dialog.getByRole('button', { name: 'Create' }).click()
  const secret = await dialog.getByRole('textbox', { name: 'Signing secret', exact: true }).inputValue()
  await audit()
  await dialog.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('heading', { name: 'crm', level: 1 }).waitFor()
  await page.getByRole('row', { name: 'Event types message.bounced, subscriber.created' }).waitFor()
  await page.getByRole('row', { name: 'Contexts Messages without a context' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  await sendTest(story)
  await page.getByRole('row', { name: /message\.bounced.*Succeeded/ }).waitFor()
  expect(verified(secret, receiver.last)).toMatchObject({ type: 'message.bounced', isTest: true })
  await audit()

  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog.getByRole('combobox', { name: 'Keep the old secret for' }).click()
  await page.getByRole('option', { name: '3 days' }).click()
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  const next = await dialog.getByRole('textbox', { name: 'Signing secret', exact: true }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Requests are signed with the former one, too').waitFor()
  await sendTest(story)
  await expect.poll(() => receiver.received.length).toBe(2)
  for (const each of [secret, next]) expect(verified(each, receiver.last)).toMatchObject({ isTest: true })
})

test('someone subscribes with a secret of their own, and sees at its field if it is too short', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit } = story
  const dialog = page.getByRole('dialog')
  await visit('/webhooks')
  await page.getByRole('button', { name: 'Create webhook subscription' }).first().click()
  await dialog.getByRole('textbox', { name: 'Identifier' }).fill('crm')
  await dialog.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/crm`)
  await dialog.getByRole('combobox', { name: 'Event types' }).fill('subscriber.c')
  await page.getByRole('option', { name: 'subscriber.created' }).click()
  await page.keyboard.press('Tab')
  const field = dialog.getByRole('textbox', { name: 'Own signing secret' })
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'own').toString('base64')}`
  await field.fill(secretOf(23))
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect
    .poll(() => field.evaluate((input) => document.getElementById(`${input.id}-error`)?.textContent))
    .toContain('24 to 64 bytes')
  await audit()
  await field.fill(secretOf(24))
  await dialog.getByRole('button', { name: 'Create' }).click()
  const shown = await dialog.getByRole('textbox', { name: 'Signing secret', exact: true }).inputValue()
  expect(shown).toBe(secretOf(24))
  await dialog.getByRole('button', { name: 'Done' }).click()
  await sendTest(story)
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(verified(secretOf(24), receiver.last)).toMatchObject({ isTest: true })
})

test('someone edits a subscription, sees that another person did, and deletes it', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, ask, audit } = story
  const dialog = page.getByRole('dialog')
  await subscribe(story)
  await visit('/webhooks/crm')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Mine')
  await dialog.getByRole('button', { name: 'Choose all types' }).click()
  await ask(
    `mutation {
      updateWebhookSubscription(input: { identifier: "crm", description: "Theirs" }) { userErrors { message } }
    }`,
  )
  await dialog.getByRole('button', { name: 'Save' }).click()
  const conflict = page.getByRole('dialog', { name: 'Somebody else saved meanwhile' })
  await conflict.getByText('Theirs').first().waitFor()
  await audit()
  await conflict.getByRole('button', { name: 'Overwrite with mine' }).click()
  await page.getByRole('row', { name: 'Description Mine' }).waitFor()
  await page.getByRole('row', { name: /Event types message\.sent, .*integration\.recovered/ }).waitFor()

  await page.getByRole('switch', { name: 'Messages are sent' }).click({ force: true })
  await page.getByRole('row', { name: /^State Inactive/ }).waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Inactive' }).click()
  await page.getByRole('link', { name: 'crm' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Webhook subscription crm deleted.').waitFor()
  expect(await ask('{ webhookSubscriptions { totalCount } }')).toEqual({ webhookSubscriptions: { totalCount: 0 } })
})

test('someone finds out from the log why a receiver fails, and sends the message again', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, ask, audit } = story
  const dialog = page.getByRole('dialog')
  await subscribe(story)
  receiver.answer(500, 'the disk of the CRM is full')
  await ask('mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }')
  await visit('/webhooks/crm')
  await page.getByRole('note', { name: 'Failing' }).waitFor()
  const row = page.getByRole('region', { name: 'Log' }).getByRole('row', { name: /subscriber\.created/ })
  await row.getByText('Pending').waitFor()
  await row.getByRole('link', { name: 'subscriber.created' }).click()
  await page.getByText('the disk of the CRM is full').first().waitFor()
  await page.getByRole('region', { name: 'Body of the request' }).getByText('"subscriberId": "ada"').waitFor()
  await audit()

  receiver.answer(204)
  await page.getByText('Accepted by the receiver').waitFor({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => page.getByText('Accepted by the receiver').count(), { timeout: 20_000 }).toBe(2)

  await page.goBack()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Failed' }).click()
  await page.getByRole('heading', { name: 'No webhook message matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await row.waitFor()
  const before = receiver.received.length
  await page.getByRole('button', { name: 'Replay messages' }).click()
  await dialog.getByRole('combobox', { name: 'Event types' }).fill('workflow.c')
  await page.getByRole('option', { name: 'workflow.created' }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText('No message is in this period.').waitFor()
  await page.getByRole('button', { name: 'Replay messages' }).click()
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText('Messages sent again: 1.').waitFor()
  await expect.poll(() => receiver.received.length).toBe(before + 1)
})

test('a subscription that the receiver has ended says why, and is enabled again', async ({ skip }) => {
  const story = await openStory(skip, settings)
  const { page, visit, audit, becomeReader } = story
  await subscribe(story)
  receiver.answer(410)
  await visit('/webhooks/crm')
  await sendTest(story)
  const notice = page.getByRole('note', { name: 'Disabled' })
  await expect
    .poll(
      async () => {
        await page.reload()
        await page.getByRole('heading', { name: 'Log' }).waitFor()
        return notice.count()
      },
      { timeout: 20_000 },
    )
    .toBe(1)
  await notice.getByText('410').waitFor()
  await audit()
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  await page.getByRole('row', { name: /^crm.*Disabled/ }).waitFor()
  await becomeReader()
  await visit('/webhooks/crm')
  await notice.waitFor()
  expect(await page.getByRole('button', { name: 'Enable again' }).count()).toBe(0)
})
