// The measured environment: two providers, and workflows that send messages through them.
import { setTimeout as pause } from 'node:timers/promises'
import { startGateway } from '../support/gateway-process.ts'
import { portions } from '../support/portions.ts'
import { type Post, postTo } from '../support/post.ts'
import { type Provider, startProvider } from './provider.ts'

/** Rows per request. */
const ROWS = { subscribers: 500, subscriptions: 100, events: 100 } as const

/**
 * The number of triggers before the measurements, and how many are sent at a time. A new process is several times
 * slower.
 */
const WARM_UP = { triggers: 500, parallel: 10 } as const

/** Milliseconds after which a message is given up and counts as that slow. */
const LONGEST = 120_000

/** Each workflow sends one email, except `text`. */
export type Workflow = 'single' | 'critical' | 'broadcast' | 'text'

export interface Subject {
  /** Milliseconds from a trigger for one subscriber to the arrival of the email at its provider. */
  latency(workflow: Workflow): Promise<number>
  /** Triggers an email to all subscribers. @returns the milliseconds until the last one has arrived. */
  broadcast(): Promise<number>
  /** Triggers text messages, each with an event of its own. Resolves when this many wait for their provider. */
  addTexts(count: number): Promise<void>
  close(): Promise<void>
}

interface SubjectOptions {
  readonly settings: NodeJS.ProcessEnv
  /** Subscribers that a broadcast reaches. */
  readonly subscribers: number
  /** Milliseconds before the providers respond. */
  readonly delays: { readonly email: number; readonly text: number }
}

async function furnish(
  post: Post,
  subscriberIds: readonly string[],
  { email, text }: { readonly email: Provider; readonly text: Provider },
): Promise<void> {
  for (const [channel, providerId, { url }] of [
    ['email', 'email-webhook', email],
    ['sms', 'generic-sms', text],
  ] as const) {
    await post('/v1/integrations', { channel, providerId, primary: true, credentials: { webhookUrl: url } })
  }
  const emails = [{ type: 'email', subject: 'Hello', body: 'Hello {{subscriber.subscriberId}}' }]
  const texts = [{ type: 'sms', body: 'Hello' }]
  for (const [identifier, rest] of Object.entries({
    single: { steps: emails },
    critical: { steps: emails, critical: true },
    broadcast: { steps: emails },
    text: { steps: texts },
  } satisfies Record<Workflow, object>)) {
    await post('/v2/workflows', { identifier, name: identifier, ...rest })
  }
  const profiles = ['reader', ...subscriberIds].map((subscriberId) => ({
    subscriberId,
    email: `${subscriberId}@example.com`,
    phone: '+4915112345678',
  }))
  for (const subscribers of portions(profiles, ROWS.subscribers)) await post('/v1/subscribers/bulk', { subscribers })
  for (const portion of portions(subscriberIds, ROWS.subscriptions)) {
    await post('/v2/topics/all/subscriptions', { subscriptions: portion.map((subscriberId) => ({ subscriberId })) })
  }
}

/** Starts a gateway and its providers, and fills an environment. */
export async function openSubject({ settings, subscribers, delays }: SubjectOptions): Promise<Subject> {
  const [email, text] = await Promise.all([startProvider(delays.email), startProvider(delays.text)])
  const gateway = await startGateway({ ...settings, RATE_LIMIT: 'off', ALLOW_PRIVATE_ADDRESSES: 'on' })
  const post = postTo(gateway)

  const subscriberIds = Array.from({ length: subscribers }, (_, index) => `subscriber-${index}`)
  await furnish(post, subscriberIds, { email, text })

  /** The number of messages that have not been sent. At most 10,000 of each state are counted. */
  async function waitingMessages(): Promise<number> {
    const { data } = (await post('/graphql', {
      query: '{ deliveryHealth { queue { kind due scheduled } } }',
    })) as { data: { deliveryHealth: { queue: { kind: string; due: number; scheduled: number }[] } } }
    const messages = data.deliveryHealth.queue.find(({ kind }) => kind === 'MESSAGES')
    return messages === undefined ? NaN : messages.due + messages.scheduled
  }

  let triggered = 0
  const newTransactionId = (workflow: Workflow) => `${workflow}-${(triggered += 1)}`

  const subject: Subject = {
    async latency(workflow) {
      const transactionId = newTransactionId(workflow)
      const start = performance.now()
      await post('/v1/events/trigger', { name: workflow, to: 'reader', transactionId })
      await Promise.race([email.arrived(transactionId), pause(LONGEST, undefined, { ref: false })])
      return performance.now() - start
    },
    async broadcast() {
      const transactionId = newTransactionId('broadcast')
      const start = performance.now()
      await post('/v1/events/trigger', { name: 'broadcast', to: { type: 'Topic', topicKey: 'all' }, transactionId })
      await email.arrived(transactionId, subscribers)
      return performance.now() - start
    },
    async addTexts(count) {
      const events = Array.from({ length: count }, (_, index) => ({
        name: 'text',
        to: subscriberIds[index % subscriberIds.length],
      }))
      for (const portion of portions(events, ROWS.events)) await post('/v1/events/trigger/bulk', { events: portion })
      while ((await waitingMessages()) < count) await pause(100)
    },
    async close() {
      gateway.child.kill('SIGKILL')
      email.close()
      text.close()
    },
  }
  for (let sent = 0; sent < WARM_UP.triggers; sent += WARM_UP.parallel) {
    await Promise.all(Array.from({ length: WARM_UP.parallel }, () => subject.latency('single')))
  }
  return subject
}
