// What the places of the dashboard show: objects of every noun, and messages that failed or were captured.
import { z } from 'zod'
import { until } from '../process/gateway-process.ts'
import type { Story } from './dashboard.ts'

/** The ids that are in the paths of places. */
export interface Ids {
  /** The environment of the key. */
  readonly environment: string
  /** An environment that can be deleted. */
  readonly staging: string
  readonly erasure: string
  /** An email that the environment has captured. */
  readonly captured: string
  /** A message of the webhook subscription `crm`. */
  readonly webhookDelivery: string
}

const furnished = z.object({
  staging: z.object({ environment: z.object({ id: z.string() }) }),
  tested: z.object({ webhookDelivery: z.object({ id: z.string() }) }),
  erased: z.object({ erasure: z.object({ id: z.string() }) }),
})

const captured = z.object({
  deliveries: z.object({ nodes: z.array(z.object({ id: z.string(), status: z.string() })) }),
})

/** Captures an email. @returns its id. */
async function capture(ask: Story['ask'], environmentId: string): Promise<string> {
  const change = (sending: string) =>
    ask(
      `mutation ($id: ID!, $sending: SendingMode!) {
        updateEnvironment(input: { id: $id, sending: $sending }) { userErrors { message } }
      }`,
      { id: environmentId, sending },
    )
  await change('CAPTURE')
  await ask(`mutation {
    createWorkflow(input: {
      identifier: "spring", name: "Spring", steps: [{ email: { subject: "Spring", body: "<p>Spring is here</p>" } }]
    }) { userErrors { message } }
    triggerEvent(input: {
      workflowIdentifier: "spring", transactionId: "spring-1"
      to: [{ subscriber: { subscriberId: "bob", email: "bob@example.com" } }]
    }) { userErrors { message } }
  }`)
  const id = await until(async () => {
    const { deliveries } = captured.parse(
      await ask('{ deliveries(filter: { isCaptured: true }) { nodes { id status } } }'),
    )
    return deliveries.nodes.find(({ status }) => status === 'SENT')?.id
  })
  await change('LIVE')
  return id
}

/** Creates what the pages show. */
export async function furnishPlaces({ ask }: Story, webhookUrl: string): Promise<Ids> {
  const own = z.object({ environment: z.object({ id: z.string() }) }).parse(await ask('{ environment { id } }'))
  const capturedId = await capture(ask, own.environment.id)
  const data = await ask(
    `mutation ($mail: CreateIntegrationInput!, $order: CreateWorkflowInput!, $reminder: CreateWorkflowInput!,
               $orderNow: TriggerEventInput!, $remind: TriggerEventInput!, $crm: CreateWebhookSubscriptionInput!) {
      ada: createSubscriber(input: {
        subscriberId: "ada", firstName: "Ada", lastName: "Byron", email: "ada@example.com", data: { plan: "pro" }
      }) { userErrors { message } }
      devices: setSubscriberCredentials(input: {
        subscriberId: "ada", providerId: FCM, credentials: { deviceTokens: ["device-1"] }
      }) { userErrors { message } }
      acme: createContext(input: { type: "tenant", identifier: "acme", data: { plan: "pro" } }) { userErrors { message } }
      mail: createIntegration(input: $mail) { userErrors { message } }
      tools: createIntegration(input: { identifier: "tools", providerId: TOOL_WEBHOOK }) { userErrors { message } }
      hook: createChannelEndpoint(input: {
        identifier: "hook", subscriberId: "ada", integrationIdentifier: "tools"
        endpoint: { toolWebhook: { url: "https://example.com/hook" } }
      }) { userErrors { message } }
      texts: createIntegration(input: {
        identifier: "texts", providerId: TELNYX, credentials: { apiKey: "KEY", from: "+15550001" }
      }) { userErrors { message } }
      crm: createWebhookSubscription(input: $crm) { userErrors { message } }
      tested: sendTestWebhook(input: { identifier: "crm" }) {
        webhookDelivery { id }
        userErrors { message }
      }
      category: createCategory(input: {
        key: "news", name: "Product news", description: "What is new", channels: [{ channel: SMS, enabled: false }]
      }) { userErrors { message } }
      emptyCategory: createCategory(input: { key: "empty", name: "Nothing yet", isHidden: true }) {
        userErrors { message }
      }
      suppressed: createSuppression(input: {
        channel: EMAIL, address: "bounced@example.com", reason: HARD_BOUNCE, detail: "550 5.1.1 unknown"
      }) { userErrors { message } }
      order: createWorkflow(input: $order) { userErrors { message } }
      reminder: createWorkflow(input: $reminder) { userErrors { message } }
      news: createTopicSubscriptions(input: { topicKey: "news", subscriptions: [{ subscriberId: "ada" }] }) {
        userErrors { message }
      }
      consent: updateSubscriberPreferences(input: {
        subscriberId: "ada", categoryKey: "news", channels: [{ channel: SMS, enabled: true }]
      }) { userErrors { message } }
      orderNow: triggerEvent(input: $orderNow) { userErrors { message } }
      remind: triggerEvent(input: $remind) { userErrors { message } }
      staging: createEnvironment(input: { name: "Staging", color: "#0d9488" }) {
        environment { id }
        userErrors { message }
      }
      meetup: createTopic(input: { key: "meetup", name: "Meetup with grace@example.com" }) { userErrors { message } }
      erased: eraseSubscriber(input: { subscriberId: "grace", also: ["grace@example.com"] }) {
        erasure { id }
        userErrors { message }
      }
    }`,
    {
      mail: { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl } },
      crm: { identifier: 'crm', url: webhookUrl, eventTypes: ['MESSAGE_BOUNCED'] },
      order: {
        ...{ identifier: 'order', name: 'Order', tags: ['shop'], categoryKey: 'news' },
        steps: [
          { email: { subject: 'Late', body: '<p>Sorry, {{ subscriber.firstName }}</p>' } },
          { inApp: { body: 'Late', condition: { '==': [{ var: 'payload.plan' }, 'pro'] } } },
        ],
      },
      reminder: {
        ...{ identifier: 'reminder', name: 'Reminder' },
        steps: [{ delay: { amount: 1, unit: 'DAYS' } }, { inApp: { body: 'Hello' } }],
      },
      orderNow: {
        workflowIdentifier: 'order',
        transactionId: 'order-1',
        to: [{ subscriber: { subscriberId: 'ada' } }],
      },
      remind: {
        ...{ workflowIdentifier: 'reminder', transactionId: 'reminder-1' },
        to: [{ subscriber: { subscriberId: 'ada' } }],
      },
    },
  )
  const problems = Object.entries(Object(data) as Record<string, { readonly userErrors: readonly unknown[] }>)
  for (const [name, { userErrors }] of problems)
    if (userErrors.length > 0) throw new Error(`${name}: ${JSON.stringify(userErrors)}`)
  const { staging, tested, erased } = furnished.parse(data)
  return {
    environment: encodeURIComponent(own.environment.id),
    captured: encodeURIComponent(capturedId),
    webhookDelivery: encodeURIComponent(tested.webhookDelivery.id),
    staging: encodeURIComponent(staging.environment.id),
    erasure: encodeURIComponent(erased.erasure.id),
  }
}
