// The set-up of integrations: what is checked when one is created or updated, and what keeps it inactive.
import { beforeEach, describe, expect, test } from 'vitest'
import { activateAll } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const fields = `integration {
  id active deliverable awaitsSetup problems { code setting message blocking }
}`

const create = (input: object) => acme.act('createIntegration', { identifier: 'mail', ...input }, fields)
const update = (id: string, input: object) => acme.act('updateIntegration', { id, ...input }, fields)

const complete = { apiKey: 'SG.key', from: 'news@example.com' }

describe('an integration', () => {
  test('is active if its provider has everything that it requires', async () => {
    const { integration } = await create({ providerId: 'SENDGRID', credentials: complete })
    expect(integration).toMatchObject({ active: true, deliverable: true, awaitsSetup: false, problems: [] })
  })

  test('with misspelled settings is created inactive, with what is missing and what was probably meant', async () => {
    const { integration, userErrors } = await create({ providerId: 'SENDGRID', credentials: { apikey: 'k', frm: 'x' } })
    expect(userErrors).toEqual([])
    expect(integration).toMatchObject({ active: false, deliverable: false, awaitsSetup: true })
    const unknown = (setting: string) => `${setting} is not a setting of the provider and has no effect`
    expect(integration.problems).toEqual([
      { code: 'SETTING_MISSING', setting: 'from', message: 'from is required', blocking: true },
      { code: 'SETTING_MISSING', setting: 'apiKey', message: 'apiKey is required', blocking: true },
      {
        code: 'SETTING_UNKNOWN',
        setting: 'apikey',
        message: `${unknown('apikey')}; did you mean apiKey?`,
        blocking: false,
      },
      { code: 'SETTING_UNKNOWN', setting: 'frm', message: unknown('frm'), blocking: false },
    ])
  })

  test('of a provider that is not implemented is created inactive', async () => {
    const { integration } = await create({ providerId: 'BRAZE', active: true, credentials: { region: 'eu-west-1' } })
    expect(integration).toMatchObject({
      active: false,
      deliverable: false,
      problems: [
        {
          code: 'PROVIDER_NOT_IMPLEMENTED',
          setting: null,
          message: 'this gateway does not implement the provider braze',
          blocking: true,
        },
      ],
    })
    const { userErrors } = await update(integration.id, { active: true })
    expect(userErrors).toEqual([
      {
        code: 'BAD_USER_INPUT',
        message:
          'active cannot be true, because the integration cannot deliver: this gateway does not implement the provider braze',
        field: ['active'],
      },
    ])
  })

  test('becomes active with the update that completes its set-up', async () => {
    const { integration } = await create({ providerId: 'SENDGRID' })
    expect(integration.active).toBe(false)
    const half = await update(integration.id, { credentialChanges: { apiKey: 'SG.key' } })
    expect(half.integration).toMatchObject({ active: false, awaitsSetup: true })
    const whole = await update(integration.id, { credentialChanges: { from: 'news@example.com' } })
    expect(whole.integration).toMatchObject({ active: true, awaitsSetup: false, deliverable: true })
  })

  test('that was created inactive, or deactivated since, stays inactive when its set-up is complete', async () => {
    const created = await create({ providerId: 'SENDGRID', active: false })
    const completed = await update(created.integration.id, { credentials: complete })
    expect(completed.integration).toMatchObject({ active: false, deliverable: true })
    const other = await create({ identifier: 'other', providerId: 'SENDGRID' })
    await update(other.integration.id, { active: false })
    const { integration } = await update(other.integration.id, { credentials: complete })
    expect(integration).toMatchObject({ active: false, awaitsSetup: false })
    expect((await update(integration.id, { active: true })).integration).toMatchObject({ active: true })
  })

  test('without settings that only some destinations require is active, and says so', async () => {
    const { integration } = await create({ providerId: 'SLACK' })
    expect(integration).toMatchObject({
      active: true,
      deliverable: true,
      problems: [
        {
          setting: 'botToken',
          message: 'botToken is required unless the destination is a webhook or an endpoint with a channel connection',
        },
      ],
    })
  })

  test('of the feed needs no provider', async () => {
    const { integration } = await create({ providerId: 'SERVICE', credentials: { hmac: true } })
    expect(integration).toMatchObject({ active: true, deliverable: true, problems: [] })
  })
})

describe('the value of a setting', () => {
  const template = { providerId: 'SENDGRID', credentials: { apiKey: 'k', from: '{{context.tenant.data.from}}' } }
  const message = 'credentials.from must be an email address'

  test('is rejected if it is invalid, such as a sender that is a template, by both doors', async () => {
    const { userErrors } = await create(template)
    expect(userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: ['credentials', 'from'] }])
    const body = { ...template, providerId: 'sendgrid', channel: 'email' }
    const answer = await acme.rest('POST /v1/integrations', { body })
    expect(answer).toMatchObject({ status: 422, body: { message } })
    expect(await acme.ask('{ integrations { totalCount } }')).toEqual({ integrations: { totalCount: 0 } })
  })

  test('may be an empty text, which counts as missing', async () => {
    const { integration } = await create({ providerId: 'SENDGRID', credentials: { ...complete, from: '' } })
    expect(integration).toMatchObject({ active: false, problems: [{ code: 'SETTING_MISSING', setting: 'from' }] })
  })
})

describe('an active integration', () => {
  test('is not given credentials that lack what it requires', async () => {
    const { integration } = await create({ providerId: 'SENDGRID', credentials: complete })
    const { userErrors } = await update(integration.id, { credentials: { apikey: 'k', from: 'a@example.com' } })
    expect(userErrors).toEqual([
      {
        code: 'BAD_USER_INPUT',
        message: 'credentials.apiKey is required while the integration is active',
        field: ['credentials', 'apiKey'],
      },
    ])
  })

  test.each([{ credentials: null }, { credentialChanges: { from: null } }])('becomes inactive by %j', async (input) => {
    const { integration } = await create({ providerId: 'SENDGRID', credentials: complete })
    const removed = await update(integration.id, input)
    expect(removed.integration).toMatchObject({ active: false, awaitsSetup: true })
  })

  test('of an earlier version stays as it is, and shows its problems', async () => {
    const { integration } = await create({ providerId: 'SENDGRID', credentials: { apiKey: 'k' } })
    await activateAll(world)
    for (const input of [{ name: 'Mail' }, { active: true }, { credentialChanges: { apiKey: 'other' } }]) {
      expect((await update(integration.id, input)).integration).toMatchObject({
        active: true,
        deliverable: false,
        problems: [{ code: 'SETTING_MISSING', setting: 'from' }],
      })
    }
  })
})

test('the REST door returns the problems of an integration', async () => {
  const body = {
    identifier: 'mail',
    providerId: 'sendgrid',
    channel: 'email',
    credentials: { apiKey: 'k' },
    active: true,
  }
  const problem = { code: 'setting_missing', setting: 'from', message: 'from is required', blocking: true }
  const shown = { active: false, deliverable: false, problems: [problem] }
  const created = await acme.rest<{ _id: string }>('POST /v1/integrations', { body })
  expect(created).toMatchObject({ status: 201, body: shown })
  expect(await acme.rest('GET /v1/integrations')).toMatchObject({ status: 200, body: { data: [shown] } })
  const answer = await acme.rest(`PUT /v1/integrations/${created.body._id}`, { body: { active: true } })
  expect(answer).toMatchObject({
    status: 422,
    body: { message: 'active cannot be true, because the integration cannot deliver: from is required' },
  })
})
