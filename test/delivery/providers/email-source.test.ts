// The source of an email in the execution log: what its mail server gets.
import { expect, test } from 'vitest'
import { smtp } from '../../support/delivery/smtp.ts'
import { createWorkflow, done, trigger } from '../../support/delivery/story.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld({ allowPrivateAddresses: true })

const email = {
  ...{ subject: 'Grüße', body: '<p>Hello, <b>{{ subscriber.subscriberId }}</b>: {{ payload.code }}</p>' },
  ...{ cc: ['Bob <bob@example.com>'], bcc: ['eve@example.com'], headers: [{ name: 'X-Shop', value: 'Berlin' }] },
}

async function furnish(): Promise<Client> {
  const acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
  return acme
}

async function sourcesIn(client: Client): Promise<readonly (string | null)[]> {
  const { deliveries } = await client.ask('{ deliveries { nodes { emailSource } } }')
  return deliveries.nodes.map(({ emailSource }) => emailSource)
}

/** Leaves out the time of the attempt, and the boundaries of nodemailer, which differ between attempts. */
const comparable = (source: string) =>
  source
    .replace(/^Date: .*$/m, 'Date')
    .replaceAll(/--_NmP-[\w-]+-Part_/g, '--Part_')
    .trimEnd()

test('the source of a sent email equals what the mail server got', async () => {
  const acme = await furnish()
  const { received, credentials } = await smtp()
  await done(acme, 'createIntegration', { identifier: 'mail', providerId: 'NODEMAILER', credentials })
  await createWorkflow(acme, [{ email }])
  await trigger(acme, { payload: { code: 'ä1' } })
  await world.work()
  const [source] = await sourcesIn(acme)
  expect(comparable(source ?? '')).toBe(comparable(received[0]?.message ?? ''))
  expect(source).toContain('Cc: Bob <bob@example.com>\r\n')
  expect(source).not.toContain('eve@example.com')
  expect(await sourcesIn(acme)).toEqual([source])
})

test('the source has masks instead of secret values, and a sentence instead of the bytes of a file', async () => {
  const acme = await furnish()
  const { environment } = await acme.ask('{ environment { identifier } }')
  await done(world.production, 'updateEnvironment', { identifier: environment.identifier, sending: 'CAPTURE' })
  await createWorkflow(acme, [{ email: { ...email, subject: '{{ payload.nothing }}' } }, { sms: { body: 'Hello' } }], {
    payloadSchema: { type: 'object', properties: { code: { type: 'string', writeOnly: true } } },
  })
  const data = Buffer.from('a file of 22 bytes, ok').toString('base64')
  await trigger(acme, {
    payload: { code: 'SECRET' },
    attachments: [{ content: { name: 'offer.pdf', data, contentType: 'application/pdf' } }],
  })
  await world.work()
  const sources = await sourcesIn(acme)
  const [source = ''] = sources.flatMap((one) => one ?? [])
  expect(sources).toContain(null)
  expect(source).toContain('Subject: Order\r\n')
  expect(source).toContain('Content-Disposition: attachment; filename=offer.pdf\r\n')
  expect(source).toContain('\r\n\r\n(22 bytes are left out here.)\r\n')
  expect(source).not.toContain('SECRET')
})
