// The scenario of comments on a topic, whose emails a mail client shows as one thread.
import { beforeEach, expect, test } from 'vitest'
import { readMail, smtp } from '../support/delivery/smtp.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

test('two comments in one thread refer to the same message, and a comment elsewhere to another one', async () => {
  const server = await smtp()
  await createIntegration(acme, 'NODEMAILER', '', { identifier: 'smtp', credentials: server.credentials })
  await createWorkflow(acme, [
    {
      email: {
        subject: 'Re: {{payload.title}}',
        body: '<p>{{payload.text}}</p>',
        threadKey: 'discussion-{{payload.discussion}}',
      },
    },
  ])
  const comment = (discussion: number, text: string) => ({
    payload: { discussion, title: `Plan ${discussion}`, text },
  })
  for (const one of [comment(1, 'I agree.'), comment(1, 'Me too.'), comment(2, 'I do not.')]) {
    await trigger(acme, one)
    await world.work()
  }
  const threads = server.received.map((mail) => {
    const { headers } = readMail(mail)
    return { references: headers.get('references'), inReplyTo: headers.get('in-reply-to') }
  })
  const [first, second, elsewhere] = threads
  expect(first?.references).toMatch(/^<[\da-v]+@example\.com>$/)
  expect(first?.inReplyTo).toBe(first?.references)
  expect(second).toEqual(first)
  expect(elsewhere?.references).toMatch(/^<[\da-v]+@example\.com>$/)
  expect(elsewhere?.references).not.toBe(first?.references)
  const ids = server.received.map((mail) => readMail(mail).headers.get('message-id'))
  expect(new Set(ids).size).toBe(3)
})
