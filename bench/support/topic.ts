// A topic of subscribers with email addresses, and a workflow that sends them one email.
import type { Post } from './post.ts'
import { portions } from './portions.ts'

/** Rows in one request. */
const AT_ONCE = 100

/** The body of a trigger for every subscriber of the topic. */
export const triggerForTopic = { name: 'news', to: { type: 'Topic', topicKey: 'readers' } } as const

/** Creates the workflow, the topic and its subscribers. */
export async function createTopic(post: Post, subscribers: number): Promise<void> {
  const steps = [{ type: 'email', subject: 'News', body: 'Hello' }]
  await post('/v2/workflows', { identifier: 'news', name: 'News', steps })
  const ids = Array.from({ length: subscribers }, (_, index) => `reader-${index}`)
  for (const portion of portions(ids, AT_ONCE)) {
    await post('/v1/subscribers/bulk', {
      subscribers: portion.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` })),
    })
    await post('/v2/topics/readers/subscriptions', { subscriptions: portion })
  }
}
