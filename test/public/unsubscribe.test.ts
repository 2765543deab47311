// Unsubscribing by the link of an email: in a mail client (RFC 8058), on the page, and what must not unsubscribe.
import { beforeEach, describe, expect, test } from 'vitest'
import { createWorkflow, done, storyOf, trigger } from '../support/delivery/story.ts'
import { readMail, smtp } from '../support/delivery/smtp.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example', requestLog: true })
let acme: Client
/** Moves with each request, so that the limit of a token allows the next one. */
let minute = 0

beforeEach(async () => {
  world.setClock(new Date(Date.now() + (minute += 60_000)))
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

const step = {
  email: { stepId: 'mail', subject: 'Order', body: '<a href="{{ unsubscribe.url }}">stop</a>' },
}

/** Sends an email to Ada. @returns the URL of its header. */
async function receiveLink(more: object = {}, triggered: object = {}): Promise<string> {
  const server = await smtp()
  const credentials = server.credentials
  await done(acme, 'createIntegration', { identifier: 'smtp', providerId: 'NODEMAILER', credentials })
  await createWorkflow(acme, [step], more)
  await trigger(acme, triggered)
  await world.work()
  const [mail] = server.received
  if (mail === undefined) throw new Error('no mail has arrived')
  const [, link = ''] = /<(https:[^>]+)>/.exec(readMail(mail).headers.get('list-unsubscribe') ?? '') ?? []
  return link
}

async function request(url: string, init: RequestInit = {}) {
  world.setClock(new Date(Date.now() + (minute += 60_000)))
  const response = await world.app.fetch(new Request(url, init))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const post = (url: string, body: string, contentType = 'application/x-www-form-urlencoded') =>
  request(url, { method: 'POST', headers: { 'content-type': contentType }, body })

const oneClick = (url: string) => post(url, 'List-Unsubscribe=One-Click')

/** What the next trigger does with the email. */
async function nextStep(triggered: object = {}) {
  const id = await trigger(acme, triggered)
  await world.work()
  const { ada } = await storyOf(acme, id)
  return ada?.steps[0]
}

const changes = async () => {
  const { subscriber } = await acme.ask(`{
    subscriber(subscriberId: "ada") {
      preferenceChanges(first: 10) { nodes { scope channel enabled source } }
    }
  }`)
  return subscriber.preferenceChanges.nodes
}

describe('One click in a mail client', () => {
  test('as multipart/form-data (RFC 8058, section 8.1) skips the next trigger and is recorded once', async () => {
    const url = await receiveLink()
    const body = [
      '---FormBoundaryjWmhtjORrn',
      'Content-Disposition: form-data; name="List-Unsubscribe"',
      '',
      'One-Click',
      '---FormBoundaryjWmhtjORrn--',
      '',
    ].join('\r\n')
    const answer = await post(url, body, 'multipart/form-data; boundary=-FormBoundaryjWmhtjORrn')
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('You are unsubscribed') })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('location')).toBeNull()
    expect(await nextStep()).toMatchObject({ status: 'SKIPPED', reason: 'subscriber_workflow_preference' })
    await oneClick(url)
    expect(await changes()).toMatchObject([
      {
        scope: 'WORKFLOW',
        channel: 'EMAIL',
        enabled: false,
        source: 'ONE_CLICK',
      },
    ])
  })

  test('as a form (RFC 8058, section 8.3) turns off the category of the workflow', async () => {
    await done(acme, 'createCategory', { key: 'news', name: 'News' })
    const url = await receiveLink({ categoryKey: 'news' })
    expect(await oneClick(url)).toMatchObject({ status: 200 })
    expect(await nextStep()).toMatchObject({ status: 'SKIPPED', reason: 'subscriber_category_preference' })
    expect(await changes()).toMatchObject([{ scope: 'CATEGORY', channel: 'EMAIL', enabled: false }])
  })

  test('turns off the channel of all workflows if the workflow says so', async () => {
    const url = await receiveLink({ unsubscribe: 'ALL' })
    await oneClick(url)
    expect(await changes()).toMatchObject([{ scope: 'ALL', channel: 'EMAIL', enabled: false }])
  })

  test('is about the contexts of the message, even if they have long names', async () => {
    const context = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((type) => [type.repeat(90), 'x'.repeat(90)]))
    const url = await receiveLink({}, { context })
    expect(url.length).toBeLessThan(512 + 'https://gateway.example/u/'.length)
    await oneClick(url)
    expect(await nextStep({ context })).toMatchObject({ status: 'SKIPPED' })
    expect(await nextStep()).toMatchObject({ status: 'SENT' })
  })

  test('many at the same time make one record', async () => {
    const url = await receiveLink()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        world.app.fetch(
          new Request(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }),
        ),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
    expect(await changes()).toHaveLength(1)
  })
})

describe('What does not unsubscribe', () => {
  const stillSent = async () => expect(await nextStep()).toMatchObject({ status: 'SENT' })

  test('GET and HEAD of both pages, also with the pair in the address', async () => {
    const url = await receiveLink()
    const shown = await request(url)
    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('Order') })
    for (const page of [url, url.replace('/u/', '/p/')]) {
      expect(await request(`${page}?List-Unsubscribe=One-Click&confirm=yes&action=off`)).toMatchObject({ status: 200 })
      expect(await request(page, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    }
    expect(await changes()).toEqual([])
    await stillSent()
  })

  test('a POST without the pair, with another body, or with another method', async () => {
    const url = await receiveLink()
    expect(await post(url, '')).toMatchObject({ status: 400 })
    expect(await post(url, 'List-Unsubscribe=Two-Clicks')).toMatchObject({ status: 400 })
    expect(await post(url, '{}', 'application/json')).toMatchObject({ status: 415 })
    expect(await post(url, `List-Unsubscribe=One-Click&more=${'x'.repeat(5_000)}`)).toMatchObject({ status: 413 })
    const answer = await request(url, { method: 'PUT' })
    expect(answer).toMatchObject({ status: 405 })
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
    await stillSent()
  })

  test('a token with one flipped bit', async () => {
    const url = await receiveLink()
    for (const at of [url.length - 1, url.length - 40, url.length - 100]) {
      const flipped = String.fromCharCode(url.charCodeAt(at) ^ 1)
      expect(await oneClick(url.slice(0, at) + flipped + url.slice(at + 1))).toMatchObject({ status: 404 })
    }
    await stillSent()
  })

  test('the example of a preview', async () => {
    await receiveLink()
    expect(await oneClick('https://gateway.example/u/example')).toMatchObject({
      status: 200,
      text: expect.stringContaining('This is an example'),
    })
    await stillSent()
  })
})

test('The page unsubscribes with its button, and subscribes again', async () => {
  const url = await receiveLink()
  expect(await post(url, 'confirm=yes')).toMatchObject({ text: expect.stringContaining('Subscribe again') })
  expect(await nextStep()).toMatchObject({ status: 'SKIPPED' })
  expect(await post(url, 'undo=yes')).toMatchObject({ text: expect.stringContaining('You are subscribed again') })
  expect(await nextStep()).toMatchObject({ status: 'SENT' })
})

test('A deleted subscriber sees the page of success', async () => {
  const url = await receiveLink()
  await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
  expect(await oneClick(url)).toMatchObject({ status: 200, text: expect.stringContaining('You are unsubscribed') })
})

test('A page has strict headers, the language and the brand of its reader', async () => {
  const { environment } = await acme.ask('{ environment { identifier } }')
  const brand = { name: 'Acme <Shop>', primaryColor: '#ffee00', logoUrl: 'https://cdn.example/logo.png' }
  await done(world.development, 'updateEnvironment', { identifier: environment.identifier, brand })
  await done(acme, 'updateSubscriber', { subscriberId: 'ada', locale: 'de_AT' })
  const { headers, text } = await request(await receiveLink())
  expect(text).toContain('<html lang="de" dir="ltr">')
  expect(text).toContain('Acme &lt;Shop&gt;')
  expect(text).not.toContain('<script')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src https:\/\/cdn\.example; form-action 'self'/,
  )
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  })
})

test('No log line has a token', async () => {
  const url = await receiveLink()
  const token = url.slice(url.lastIndexOf('/') + 1)
  await request(url)
  await oneClick(url)
  await request(`${url}/more`)
  expect(world.logged.filter(({ path }) => path === '/u/{token}')).not.toEqual([])
  expect(JSON.stringify(world.logged)).not.toContain(token)
})

test('A person turns a workflow off on the preference page and on again', async () => {
  const url = (await receiveLink()).replace('/u/', '/p/')
  const shown = await request(url)
  expect(shown).toMatchObject({ status: 200 })
  const [, field = '', was = ''] = /name="(w\.[\w-]+)" value="([a-z]*:[a-z]*)"/.exec(shown.text) ?? []
  expect(was).toBe('e:e')
  const saved = await post(url, new URLSearchParams({ [field]: was, action: 'save' }).toString())
  expect(saved).toMatchObject({ status: 200, text: expect.stringContaining('Your preferences are saved.') })
  expect(await nextStep()).toMatchObject({ status: 'SKIPPED' })
  const again = new URLSearchParams([
    [field, 'e:'],
    [field, 'e'],
    ['action', 'save'],
  ])
  await post(url, again.toString())
  expect(await nextStep()).toMatchObject({ status: 'SENT' })
  await post(url, 'action=off')
  expect(await nextStep()).toMatchObject({ reason: 'subscriber_global_preference' })
  expect(await changes()).toHaveLength(3)
})
