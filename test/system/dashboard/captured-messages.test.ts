// The inbox of captured messages in the dashboard, and what a hostile email can do in it: nothing.
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory } from '../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

/** Everything by which an email could run code, leave its frame or report that it was opened. */
const hostile = [
  '<html><head><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/refresh">',
  '<link rel=stylesheet href=http://127.0.0.1:9/css><base href=http://127.0.0.1:9/>',
  '<meta name=color-scheme content="light dark">',
  '<style>p { color: navy } @media (prefers-color-scheme: dark) { p { color: yellow } }</style>',
  '<style>@import url(http://127.0.0.1:9/import); body { background: url(http://127.0.0.1:9/background) }</style></head>',
  '<body><script>parent.document.title = "taken"; top.location = "http://127.0.0.1:9/script"</script>',
  '<img src=x onerror="top.location = \'http://127.0.0.1:9/onerror\'"><img src=http://127.0.0.1:9/pixel>',
  '<iframe src=http://127.0.0.1:9/frame></iframe><object data=http://127.0.0.1:9/object></object>',
  '<p>Spring offers</p>',
  '<form action=http://127.0.0.1:9/form target=_top><button>Pay</button></form>',
  '<a href=http://127.0.0.1:9/link target=_top>Read more</a></body></html>',
].join('')

const data = `mutation ($body: String!) {
  createSubscriber(input: { subscriberId: "ada", email: "ada@example.com", phone: "+4915123456789" }) {
    userErrors { message }
  }
  createWorkflow(input: {
    identifier: "news", name: "News",
    steps: [{ email: { subject: "Spring", body: $body } }, { sms: { body: "Spring is here" } }]
  }) { userErrors { message } }
}`

const trigger = `mutation { triggerEvent(input: {
  workflowIdentifier: "news", transactionId: "spring-news", to: [{ subscriber: { subscriberId: "ada" } }]
}) { userErrors { message } } }`

test.for([1440, 390])(
  'at %i pixels, someone reads captured messages while they arrive, and a hostile email does nothing',
  async (width, { skip }) => {
    const story = await openStory(skip)
    const { page, visit, ask, audit, allow } = story
    // What the browser says about each part of the email that it blocks.
    allow(/127\.0\.0\.1:9\/|Blocked script execution|violates the following Content Security Policy/)
    allow(/^\s*\(\)$/)
    await page.setViewportSize({ width, height: 900 })
    const { environment } = (await ask('{ environment { id } }')) as { environment: { id: string } }
    await ask(
      `mutation { updateEnvironment(input: { id: "${environment.id}", sending: CAPTURE }) { userErrors { message } } }`,
    )
    await ask(data.replaceAll('$body: String!', '').replace('()', '').replace('$body', JSON.stringify(hostile)))
    await visit('/captured')
    await page.getByText('No captured messages').waitFor()
    await page.getByRole('link', { name: 'This environment captures messages' }).getByText('Captures').waitFor()
    await audit()
    await ask(trigger)
    // Without a reload.
    const row = page.getByRole('link', { name: 'ada@example.com' })
    await row.waitFor()
    await page.getByRole('link', { name: '+4915123456789' }).waitFor()
    await audit()

    await page.getByLabel('Part of the address').fill('example')
    await expect.poll(() => page.getByRole('link', { name: '+4915123456789' }).count()).toBe(0)
    const requested: string[] = []
    // The browser reports requests that the policy blocks before they leave, too.
    page.on('requestfinished', (request) => requested.push(request.url()))
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText !== 'csp') requested.push(request.url())
    })
    await row.click()
    const email = page.frameLocator('iframe')
    await email.getByText('Read more').waitFor()
    await audit()
    const address = page.url()
    const title = await page.title()
    await email.getByText('Read more').click()
    await email.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('Narrow').click()
    /** The color of text without one of its own, and of text with a rule for dark mode. */
    const colors = () =>
      email
        .locator('body')
        .evaluate((body) => [body, body.querySelector('p') ?? body].map((element) => getComputedStyle(element).color))
    expect(await colors()).toEqual(['rgb(0, 0, 0)', 'rgb(0, 0, 128)'])
    await page.getByLabel('Dark').check({ force: true })
    await page.getByText('As in a mail client with a dark background').waitFor()
    await email.getByText('Read more').waitFor()
    // Whatever the color scheme of the browser is.
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(colors).toEqual(['rgb(255, 255, 255)', 'rgb(255, 255, 0)'])
    await audit()
    await page.getByRole('tab', { name: 'Source' }).click()
    const source = page.getByRole('region', { name: 'Source' })
    await source.getByText('Subject: Spring').waitFor()
    expect(await source.textContent()).toMatch(/To: ada@example\.com[^]*Content-Type: text\/plain[^]*onerror=/)
    await audit()
    await page.getByRole('tab', { name: 'Links (1)' }).click()
    await page.getByText('http://127.0.0.1:9/link').waitFor()
    expect([page.url(), await page.title()]).toEqual([address, title])
    expect(requested.filter((url) => url.includes('127.0.0.1:9/'))).toEqual([])
    expect(page.context().pages()).toHaveLength(1)

    // The log of the event does not say that a provider accepted it.
    await page.getByRole('link', { name: 'spring-news' }).click()
    const message = page.getByRole('region', { name: 'Message to ada@example.com' })
    await message.getByText('Captured: nothing was sent').waitFor()
    expect(await message.getByText(/Accepted|response/).count()).toBe(0)
  },
)
