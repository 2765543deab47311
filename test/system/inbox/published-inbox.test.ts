// Pages with the published browser inbox, unmodified, in a browser: they changed their addresses, and nothing else.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, noChromium } from '../../support/dashboard/chromium-path.ts'
import { eventually } from '../../support/inbox/shop.ts'
import { type MovedApplication, type SocketKind, startMovedApplication } from '../../support/novu/moved-application.ts'
import { onServer } from '../../support/on-server.ts'
import { build, withDatabase } from '../../support/process/gateway-process.ts'

beforeAll(build, 120_000)

const kinds: readonly SocketKind[] = ['socket.io', 'a plain WebSocket']

const item = (page: Page, text: string) => page.locator('.nv-notification').filter({ hasText: text })

/** Clicks a button that a notification shows below the pointer. */
async function act(page: Page, text: string, verb: 'Read' | 'Snooze' | 'Archive'): Promise<void> {
  await item(page, text).hover()
  await item(page, text).locator(`.nv-notification${verb}__button`).click()
}

const isEmpty = (page: Page) => page.getByText('Quiet for now').waitFor()

/** The dot of the bell, which shows that there are unread notifications. */
const bell = (page: Page) => page.locator('.nv-bellDot')

const counts = async ({ ask }: MovedApplication) => {
  const { subscriber } = await ask(`{ subscriber(subscriberId: "ada") {
    isOnline
    notificationCounts(contextKeys: ["tenant:acme"]) { total unread unseen } } }`)
  return subscriber
}

/** Marks everything as read in the back end, which calls another process than the page. */
const readAll = ({ ask }: MovedApplication) =>
  ask(`mutation {
    markNotifications(input: { subscriberId: "ada", contextKeys: ["tenant:acme"], as: READ }) { userErrors { message } } }`)

/** Ends the snooze of all notifications. */
const endSnooze = ({ settings }: MovedApplication) =>
  withDatabase(settings, ({ client }) =>
    client.notification.updateMany({ where: { snoozedUntil: { not: null } }, data: { snoozedUntil: new Date() } }),
  )

describe.runIf(onServer).each(kinds)('a page over %s (needs TEST_DATABASE_URL)', (kind) => {
  test('shows what arrives live, marks it, snoozes it until it returns, and archives it', async ({ skip }) => {
    skip(chromiumPath === undefined, noChromium)
    const application = await startMovedApplication(kind)
    const { notify, open } = application
    const page = await open({ tenant: 'acme' })
    await isEmpty(page)
    await notify('acme', 'Packed.')
    await item(page, 'Packed.').waitFor()
    await bell(page).waitFor()
    await eventually(() => counts(application)).toEqual({
      isOnline: true,
      notificationCounts: { total: 1, unread: 1, unseen: 0 },
    })

    await act(page, 'Packed.', 'Read')
    await bell(page).waitFor({ state: 'detached' })
    await eventually(() => counts(application)).toMatchObject({ notificationCounts: { total: 1, unread: 0 } })

    await act(page, 'Packed.', 'Snooze')
    await page.getByText('An hour from now').click()
    await isEmpty(page)
    await endSnooze(application)
    await item(page, 'Packed.').waitFor()
    await bell(page).waitFor()

    await act(page, 'Packed.', 'Archive')
    await isEmpty(page)
    await eventually(() => counts(application)).toMatchObject({ notificationCounts: { total: 0, unread: 0 } })
  })

  test('opened hours ago, is right again after its process was killed', async ({ skip }) => {
    skip(chromiumPath === undefined, noChromium)
    const application = await startMovedApplication(kind)
    const { notify, open, kill } = application
    const page = await open({ tenant: 'acme' })
    await isEmpty(page)
    // As after a sleep, timers fire late: the page may have to connect again.
    await page.clock.fastForward('05:00:00')
    await notify('acme', 'Packed.')
    await bell(page).waitFor()
    await notify('acme', 'Sent.')
    await item(page, 'Sent.').waitFor()
    await readAll(application)
    await bell(page).waitFor({ state: 'detached' })

    const restart = await kill()
    await notify('acme', 'Shipped.')
    await restart()
    await bell(page).waitFor()
    await notify('acme', 'Delivered.')
    await item(page, 'Delivered.').waitFor()
    expect(await counts(application)).toMatchObject({ notificationCounts: { total: 4, unread: 2 } })
  })
})

describe.runIf(onServer)('a page (needs TEST_DATABASE_URL)', () => {
  test('shows nothing of another tenant, and nothing with a wrong hash', async ({ skip }) => {
    skip(chromiumPath === undefined, noChromium)
    const application = await startMovedApplication('socket.io')
    const { notify, open, attempt } = application
    const other = await open({ tenant: 'globex' })
    await isEmpty(other)
    const page = await open({ tenant: 'acme' })
    await isEmpty(page)
    await notify('acme', 'Packed.')
    await item(page, 'Packed.').waitFor()
    const { page: forged, status } = await attempt({ tenant: 'acme', subscriberHash: 'f'.repeat(64) })
    expect(status).toBe(400)
    await notify('globex', 'Returned.')
    await item(other, 'Returned.').waitFor()
    expect(await other.locator('.nv-notification').count()).toBe(1)
    expect(await forged.locator('.nv-notification').count()).toBe(0)
  })

  test('completes actions, and changes preferences and the schedule', async ({ skip }) => {
    skip(chromiumPath === undefined, noChromium)
    const application = await startMovedApplication('socket.io')
    const { ask, notify, open, origin } = application
    const page = await open({ tenant: 'acme' })
    await isEmpty(page)
    await notify('acme', 'Packed.')
    const tracked = page.waitForEvent('popup')
    await item(page, 'Packed.').getByRole('button', { name: 'Track' }).click()
    expect((await tracked).url()).toBe(`${origin}/track`)
    const actions = async () =>
      (
        await ask(`{ subscriber(subscriberId: "ada") {
          notifications(contextKeys: ["tenant:acme"]) { nodes { actions { isCompleted } } } } }`)
      ).subscriber.notifications.nodes
    await eventually(actions).toEqual([{ actions: [{ isCompleted: true }] }])

    await page.locator('.nv-preferences__button').click()
    await page.locator('.nv-workflowLabelContainer').filter({ hasText: 'Orders' }).click()
    const orders = page.locator('.nv-workflowContainer').filter({ hasText: 'Orders' })
    await orders.getByText('Email', { exact: true }).last().click()
    await page.locator('.nv-scheduleHeader label').click()
    const preferences = async () => {
      const { subscriber } = await ask(`{ subscriber(subscriberId: "ada") {
        preferences(contextKeys: ["tenant:acme"]) {
          schedule { isEnabled }
          workflowPreferences { nodes { channels { channel enabled } } } } } }`)
      const [{ channels }] = subscriber.preferences.workflowPreferences.nodes
      return {
        schedule: subscriber.preferences.schedule,
        email: channels.find(({ channel }: { channel: string }) => channel === 'EMAIL').enabled,
      }
    }
    await eventually(preferences).toEqual({ schedule: { isEnabled: true }, email: false })
  })
})
