// The contents of the example environment before its first trigger: tenants, subscribers, topics, integrations and
// workflows.
import { createChannelEndpoint } from '../../domain/channel-endpoint.ts'
import { createContext } from '../../domain/context.ts'
import { createIntegration, integration } from '../../domain/integration.ts'
import { pauseIntegration } from '../../domain/execution/pause.ts'
import { createCategory } from '../../domain/category.ts'
import { updatePreferences } from '../../domain/preference/preference-bulk.ts'
import { updateSubscriberPreferences } from '../../domain/preference/preference.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { createTopicSubscriptions } from '../../domain/subscribe.ts'
import { createSubscribers } from '../../domain/subscriber.ts'
import { MAX_ROWS } from '../../domain/topic-subscription.ts'
import { createTopic } from '../../domain/topic.ts'
import { createWorkflow } from '../../domain/workflow.ts'
import { people, type ExamplePerson, SINK, tenants } from './people.ts'

const integrations = [
  {
    identifier: 'demo-email',
    name: 'Email',
    providerId: 'email-webhook',
    path: 'email',
    rateLimit: { messages: 1000, per: 'second' },
  },
  { identifier: 'demo-sms', name: 'SMS', providerId: 'generic-sms', path: 'sms' },
  { identifier: 'demo-push', name: 'Push', providerId: 'push-webhook', path: 'push' },
  { identifier: 'demo-chat', name: 'Chat', providerId: 'chat-webhook', path: 'chat' },
  { identifier: 'demo-tool', name: 'On-call tool', providerId: 'tool-webhook', path: 'tool' },
] as const

export const exampleWorkflows: readonly Parameters<typeof createWorkflow>[1][] = [
  {
    identifier: 'welcome',
    name: 'Welcome',
    tags: ['onboarding'],
    steps: [
      {
        type: 'in_app',
        subject: 'Welcome, {{subscriber.firstName}}',
        body: 'You joined {{context.tenant.data.name}}. Take the tour to get started.',
        actions: [{ label: 'Take the tour', url: 'https://app.example/tour', target: '_blank' }],
      },
      {
        type: 'email',
        subject: 'Welcome to {{context.tenant.data.name}}',
        body: '<p>Hello {{subscriber.firstName}},</p><p>your account is ready.</p>',
      },
    ],
  },
  {
    identifier: 'sign-in-code',
    name: 'Sign-in code',
    critical: true,
    tags: ['security'],
    payloadSchema: {
      type: 'object',
      properties: { code: { type: 'string', examples: ['482913'], writeOnly: true } },
      required: ['code'],
    },
    steps: [{ type: 'sms', body: '{{payload.code}} is your sign-in code. It expires in 10 minutes.' }],
  },
  {
    identifier: 'comment-added',
    name: 'Comment added',
    tags: ['collaboration'],
    steps: [
      {
        type: 'in_app',
        subject: '{{payload.author}} commented on {{payload.document}}',
        body: '{{payload.comment}}',
        url: 'https://app.example/documents',
        target: '_self',
        data: { preview: '{{payload.comment | truncate: 40}}' },
        payloadFields: ['document', 'author'],
      },
      { type: 'push', subject: '{{payload.author}} commented', body: '{{payload.comment}}' },
      { type: 'digest', stepId: 'collect', amount: 1, unit: 'hours' },
      {
        type: 'email',
        subject: '{{digest.count}} new comments on {{payload.document}}',
        body: '<ul>{% for event in digest.events %}<li>{{event.payload.author}}: {{event.payload.comment}}</li>{% endfor %}</ul>',
        preheader: '{{digest.events.last.payload.author}}: {{digest.events.last.payload.comment}}',
        replyTo: ['"{{payload.document}}" <comments@app.example>'],
        threadKey: 'comments-{{payload.document}}',
        condition: { '==': [{ var: 'subscriber.data.role' }, 'manager'] },
      },
    ],
  },
  {
    identifier: 'invoice-due',
    categoryKey: 'billing',
    name: 'Invoice due',
    severity: 'medium',
    tags: ['billing'],
    steps: [
      {
        type: 'in_app',
        subject: 'Invoice {{payload.number}} is due',
        body: '{{payload.amount}} USD, due on {{payload.due}}',
      },
      { type: 'delay', amount: 1, unit: 'days' },
      {
        type: 'email',
        subject: 'Reminder: invoice {{payload.number}}',
        body: '<p>Hello {{subscriber.firstName}},</p><p>{{payload.amount}} USD are due on {{payload.due}}.</p>',
      },
    ],
  },
  {
    identifier: 'incident-opened',
    categoryKey: 'incidents',
    name: 'Incident opened',
    critical: true,
    severity: 'high',
    tags: ['operations'],
    steps: [
      { type: 'in_app', subject: '{{payload.title}}', body: '{{payload.service}} is affected.' },
      { type: 'chat', body: ':rotating_light: {{payload.title}} ({{payload.service}})' },
      {
        type: 'tool',
        stepId: 'page',
        incidentKey: '{{payload.service}}',
        subject: '{{payload.title}}',
        body: 'Service: {{payload.service}}',
        timeLimit: { amount: 2, unit: 'minutes' },
      },
      {
        type: 'sms',
        body: 'Incident: {{payload.title}}',
        condition: { '!=': [{ var: 'steps.page.status' }, 'sent'] },
        expiresAfter: { amount: 1, unit: 'hours' },
      },
    ],
  },
  {
    identifier: 'incident-resolved',
    categoryKey: 'incidents',
    name: 'Incident resolved',
    critical: true,
    severity: 'medium',
    tags: ['operations'],
    steps: [
      { type: 'in_app', subject: 'Resolved: {{payload.title}}', body: '{{payload.service}} works again.' },
      // The key of the incident that the other workflow opened.
      {
        type: 'tool',
        stepId: 'close',
        incidentKey: '{{payload.service}}',
        incidentAction: 'resolve',
        subject: 'Resolved: {{payload.title}}',
        body: 'Service: {{payload.service}}',
      },
    ],
  },
  {
    identifier: 'release-announced',
    name: 'Release announced',
    description: 'Sent once for each version, when its notes are published.',
    severity: 'low',
    tags: ['product'],
    categoryKey: 'news',
    steps: [
      { type: 'in_app', subject: 'Version {{payload.version}} is out', body: '{{payload.summary}}' },
      {
        type: 'email',
        subject: 'What is new in {{payload.version}}',
        body: '<p>{{payload.summary}}</p>{% if unsubscribe.url != "" %}<p><a href="{{unsubscribe.url}}">Unsubscribe</a></p>{% endif %}',
      },
    ],
  },
]

const categories = [
  {
    key: 'news',
    name: 'News and releases',
    description: 'New versions and what is in them.',
    channels: { sms: false },
  },
  { key: 'billing', name: 'Invoices and payments', description: 'Invoices, payments and what needs attention.' },
  { key: 'incidents', name: 'Incidents', description: 'For engineers on call.', isHidden: true },
]

async function subscribe(
  scope: Scope,
  topicKey: string,
  subscribed: readonly ExamplePerson[],
  context = {},
): Promise<void> {
  for (let from = 0; from < subscribed.length; from += MAX_ROWS) {
    const subscriptions = subscribed
      .slice(from, from + MAX_ROWS)
      .map(({ profile: { subscriberId } }) => ({ subscriberId }))
    await createTopicSubscriptions(scope, { topicKey, subscriptions, context })
  }
}

/** Pauses the push integration. @returns its id. */
export async function pausePush(scope: Scope): Promise<string> {
  const found = await integration(scope, { identifier: 'demo-push' })
  if (found === null) throw new Error('the example data has no push integration')
  await pauseIntegration(scope, { id: found.id, reason: 'Outage of the push provider' })
  return found.id
}

/** Fills an empty environment, through the resolvers. */
export async function furnish(scope: Scope): Promise<void> {
  for (const { identifier, name, plan } of tenants) {
    await createContext(scope, { type: 'tenant', identifier, data: { name, plan } })
  }
  for (const { path, ...settings } of integrations) {
    await createIntegration(scope, { ...settings, primary: true, credentials: { webhookUrl: `${SINK}/${path}` } })
  }
  await createIntegration(scope, {
    ...{ identifier: 'demo-email-fallback', name: 'Second email account', providerId: 'email-webhook' },
    isFallback: true,
    credentials: { webhookUrl: `${SINK}/email-fallback` },
  })
  // Its settings are misspelled, so it stays inactive and shows what is missing.
  const misspelled = { apikey: 'demo', frm: 'news@example.com' }
  await createIntegration(scope, {
    ...{ identifier: 'demo-sendgrid', name: 'New email account', providerId: 'sendgrid', credentials: misspelled },
  })
  const { failed } = await createSubscribers(scope, { subscribers: people.map(({ profile }) => profile) })
  if (failed[0] !== undefined) throw new Error(`an example subscriber is invalid: ${failed[0].message}`)
  for (const { profile, isOnCall } of people) {
    if (!isOnCall) continue
    const { subscriberId } = profile
    await createChannelEndpoint(scope, {
      subscriberId,
      integrationIdentifier: 'demo-tool',
      type: 'tool_webhook',
      endpoint: { url: `${SINK}/on-call/${subscriberId}` },
    })
  }
  for (const category of categories) await createCategory(scope, category)
  for (const workflow of exampleWorkflows) await createWorkflow(scope, workflow)
  await createTopic(scope, { key: 'releases', name: 'Product releases' })
  const interested = people.filter((_, index) => index % 5 < 2)
  await subscribe(scope, 'releases', interested)
  await createTopic(scope, { key: 'on-call', name: 'Engineers on call' })
  await subscribe(
    scope,
    'on-call',
    people.filter(({ isOnCall }) => isOnCall),
  )
  for (const tenant of tenants) {
    const key = `billing-${tenant.identifier}`
    await createTopic(scope, { key, name: `Billing of ${tenant.name}` })
    const managers = people.filter((person) => person.tenant === tenant && person.profile.data.role === 'manager')
    await subscribe(scope, key, managers, { tenant: tenant.identifier })
  }
  // Some subscribers do not want emails about releases.
  for (const { profile } of interested.filter((_, index) => index % 8 === 3)) {
    const { subscriberId } = profile
    await updateSubscriberPreferences(scope, {
      subscriberId,
      workflowId: 'release-announced',
      channels: { email: false },
    })
  }
  // Others changed their mind about news, so that the record of consent has a history.
  const undecided = people.filter((_, index) => index % 9 === 4).slice(0, 30)
  const choices = [{ enabled: false }, { enabled: true }, { channels: { email: false } }]
  await updatePreferences(scope, {
    preferences: undecided.flatMap(({ profile: { subscriberId } }) =>
      choices.map((choice) => ({ subscriberId, categoryKey: 'news', ...choice })),
    ),
  })
}
