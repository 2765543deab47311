// Integrations of providers through the published client, with the settings in its words.
import { generateKeyPairSync } from 'node:crypto'
import type { Novu } from '@novu/api'
import type { CredentialsDto } from '@novu/api/models/components/index.js'
import { beforeEach, expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let client: Novu

beforeEach(async () => {
  client = novuClient(world, (await world.environment()).key)
})

const key = { apiKey: 'key' }
const aws = { apiKey: 'AKIDEXAMPLE', secretKey: 'secret', region: 'eu-central-1' }
const sender = { from: 'shop@example.com', senderName: 'Shop' }
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type Channel = 'email' | 'sms' | 'push' | 'chat'

test.each<[string, Channel, CredentialsDto]>([
  ['ses', 'email', { ...aws, ...sender, configurationSetName: 'shop' }],
  ['sns', 'sms', aws],
  ['apns', 'push', { secretKey: p8, apiKey: 'KEY1', projectName: 'TEAM1', applicationId: 'com.example', secure: true }],
  ['one-signal', 'push', { ...key, applicationId: 'app-1' }],
  ['whatsapp-business', 'chat', { apiToken: 'token', phoneNumberIdentification: '106540352242922' }],
  ['mailjet', 'email', { ...key, ...sender, secretKey: 'secret' }],
  ['sendinblue', 'email', { ...key, ...sender }],
  ['brevo-sms', 'sms', { ...key, from: 'Shop' }],
  ['sparkpost', 'email', { ...key, ...sender, region: 'eu' }],
  ['mandrill', 'email', { ...key, ...sender }],
  ['infobip-sms', 'sms', { ...key, baseUrl: 'xxxxx.api.infobip.com', from: 'Shop' }],
  ['sendgrid', 'email', { ...key, ...sender, region: 'eu', ipPoolName: 'main' }],
])('%s is complete with the settings that the client has', async (providerId, channel, credentials) => {
  const { result } = await client.integrations.create({ providerId, channel, active: true, credentials })
  expect(result).toMatchObject({ providerId, active: true })
})

test.each<[string, Channel, CredentialsDto, string]>([
  ['sendgrid', 'email', { ...key, ...sender, region: 'mars' }, 'region'],
  ['ses', 'email', { ...aws, ...sender, region: 'eu-central-1.example.com/' }, 'region'],
  ['apns', 'push', { secretKey: 'no key', apiKey: 'KEY1', projectName: 'TEAM1', applicationId: 'x' }, 'secretKey'],
  ['mailjet', 'email', { ...key, ...sender, ipPoolName: 'main', secretKey: 'secret' }, 'ipPoolName'],
])('%s rejects a setting that is wrong or that it cannot apply', async (providerId, channel, credentials, name) => {
  await expect(client.integrations.create({ providerId, channel, credentials })).rejects.toMatchObject({
    ...{ statusCode: 422, data$: { errors: { [`credentials.${name}`]: {} } } },
  })
})
