// The settings of providers, which are the credentials of their integrations: types, documentation and validation.
import { z } from 'zod'
import type { ProviderSetting, SettingType } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import { Refusal } from '../../lib/errors.ts'
import { emailAddress, httpUrl, parse, text } from '../../lib/validation.ts'
import { DeliveryFailure } from './provider.ts'

/** Properties of a setting that its schema does not describe. */
interface Documentation extends Pick<ProviderSetting, 'label' | 'description'> {
  /** True if the value is never returned. */
  readonly secret?: boolean
}

const documentation = z.registry<Documentation>()

/** Returns the schema of a documented setting. @param description sentences. */
export function setting<Schema extends z.ZodType>(schema: Schema, label: string, description: string): Schema {
  documentation.add(schema, { label, description })
  return schema
}

/** A setting whose value is never returned. */
export function secretSetting<Schema extends z.ZodType>(schema: Schema, label: string, description: string): Schema {
  documentation.add(schema, { label, description, secret: true })
  return schema
}

/** An account id, a name, or a number of the sender. */
export const plain = (label: string, description: string) => setting(text(8192, 1), label, description)

/** A key, token or password. */
export const secret = (label: string, description: string) => secretSetting(text(8192, 1), label, description)

/** The optional setting with the key that verifies reports. @param where it is found, as the end of a sentence. */
export const webhookSigningKey = (where: string) =>
  optional(
    secret(
      'Webhook signing key',
      `The key that verifies the reports of the provider: ${where}. Absent without reports.`,
    ),
  )

/** Copies the documentation of `documented` to `schema`. */
function asDocumented<Schema extends z.ZodType>(schema: Schema, documented: z.ZodType): Schema {
  const found = documentation.get(documented)
  if (found) documentation.add(schema, found)
  return schema
}

/** An optional field. Null means absent. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return asDocumented(
    schema.nullish().transform((value) => value ?? undefined),
    schema,
  )
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

const baseUrlLabel = 'Base URL'

/** The URL of a provider's API, without a trailing slash. Override it for a region, a proxy or a test. */
export function baseUrl(standard: string, description = "The URL of the provider's API, for a region or a proxy.") {
  const schema = httpUrl.nullish().transform((value) => withoutSlash(value ?? standard))
  return setting(schema, baseUrlLabel, description)
}

/** The region of an account with a provider that has an API of its own for the EU. */
export const euRegion = () =>
  setting(
    // Forms send an empty text for the standard region.
    z.preprocess((given) => (given === '' || given === null ? undefined : given), z.enum(['eu']).optional()),
    'Region',
    '`eu` for an account in the EU. Absent otherwise.',
  )

/** The URL of an API whose hosts are named after their region. @param region what names it. */
export const regionalBaseUrl = (region: string) =>
  setting(
    httpUrl.nullish().transform((value) => (value == null ? undefined : withoutSlash(value))),
    baseUrlLabel,
    `The URL of the provider's API, for a proxy. By default the one of ${region}.`,
  )

const kept = 'Kept for the application that connects workspaces. The gateway does not use it.'

/** The URL to which a service returns after a workspace was connected. */
export const redirectUrl = optional(
  setting(z.clone(httpUrl), 'Redirect URL', `The URL to which the service returns. ${kept}`),
)

/** Settings with which an application connects workspaces, and stores their tokens as channel connections. */
export const connectSettings = {
  clientId: optional(plain('Client ID', `The client ID of the application. ${kept}`)),
  secretKey: optional(secret('Client secret', `The client secret of the application. ${kept}`)),
  redirectUrl,
}

/** The same for Slack. */
export const slackConnectSettings = {
  applicationId: optional(plain('Application ID', `The ID of the application. ${kept}`)),
  signingSecret: optional(secret('Signing secret', `The signing secret of the application. ${kept}`)),
  ...connectSettings,
}

/** The sender of an email. */
export const sender = z.object({
  from: setting(z.clone(emailAddress), 'From', 'The email address of the sender.'),
  senderName: optional(
    setting(
      text(255, 1).regex(/^\P{C}*$/u, 'must not contain control characters'),
      'Sender name',
      'The display name of the sender.',
    ),
  ),
  unsubscribeMailto: optional(
    setting(
      z.clone(emailAddress),
      'Unsubscribe address',
      'An address that receives an email from recipients who unsubscribe in a mail client without one-click unsubscribe. Somebody must read it.',
    ),
  ),
})

/** @param problems the invalid fields and why, without their values */
export function invalidCredentials(problems: string): DeliveryFailure {
  return new DeliveryFailure(`The integration's credentials are invalid: ${problems}`, {
    permanent: true,
    failureCause: 'credentials_invalid',
  })
}

/** @throws DeliveryFailure permanent, naming each missing or invalid field. */
export function parseCredentials<Schema extends z.ZodType>(
  { credentials }: Pick<Message, 'credentials'>,
  schema: Schema,
): z.output<Schema> {
  try {
    return parse(schema, credentials)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalidCredentials(error.message)
  }
}

/** The schema of the value itself, without wrappers that make it optional or transform it. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return innermost(schema.def.innerType)
  }
  if (schema instanceof z.ZodPipe) {
    return innermost(schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in)
  }
  return schema
}

function typeOf(schema: z.core.$ZodType): { readonly type: SettingType; readonly options: readonly string[] } {
  if (schema instanceof z.ZodEnum) return { type: 'enum', options: schema.options.map(String) }
  if (schema instanceof z.ZodBoolean) return { type: 'boolean', options: [] }
  if (schema instanceof z.ZodNumber) return { type: 'integer', options: [] }
  return { type: schema instanceof z.ZodObject ? 'json' : 'string', options: [] }
}

/** The fields of the credentials, read from their schema. @throws Error for a field without documentation. */
export function settingsOf(schema: z.ZodObject): ProviderSetting[] {
  return Object.entries<z.core.$ZodType>(schema.shape).map(([name, field]) => {
    const documented = documentation.get(field)
    if (documented === undefined) throw new Error(`the setting ${name} has no documentation`)
    const { label, description, secret = false } = documented
    const absent = z.safeParse(field, undefined)
    const standard = typeof absent.data === 'string' ? absent.data : null
    return { name, label, description, required: !absent.success, secret, ...typeOf(innermost(field)), standard }
  })
}
