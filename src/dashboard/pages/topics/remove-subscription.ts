// Removes a topic subscription at once, and offers to bring it back.
//
// The subscription is deleted and, for an undo, created again with everything that it had. The other way is to wait with
// the deletion for ten seconds: then a tab that is closed, offline or signed out would never send it, and the person
// would still get what someone believes is stopped. Only the node id and the times of the subscription are new.
import { use } from 'react'
import { useClient } from 'urql'
import { sendAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { type Problem, problemOf } from '../../graph/problem.ts'
import { contextInputs } from '../../parts/form/context-keys-input.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Undo } from '../../parts/undo.tsx'
import { preferenceFields, storedPreferenceInput } from './preference-entries.ts'

const removedSubscriptionQuery = graphql(
  `
    query RemovedTopicSubscription($topicKey: String!, $identifier: String!) {
      topicSubscription(topicKey: $topicKey, identifier: $identifier) {
        id
        identifier
        name
        contextKeys
        subscriber {
          id
          subscriberId
        }
        ...PreferenceFields
      }
    }
  `,
  [preferenceFields],
)

const deleteTopicSubscriptionsMutation = graphql(`
  mutation DeleteTopicSubscriptions($input: DeleteTopicSubscriptionsInput!) {
    deleteTopicSubscriptions(input: $input) {
      deletedIds
      failed {
        message
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const restoreTopicSubscriptionMutation = graphql(`
  mutation RestoreTopicSubscription($input: CreateTopicSubscriptionsInput!) {
    createTopicSubscriptions(input: $input) {
      failed {
        message
      }
      userErrors {
        message
        field
      }
    }
  }
`)

/** Returns a function that removes a subscription. @returns true if it is gone. */
export function useSubscriptionRemoval(): (topicKey: string, identifier: string) => Promise<boolean> {
  const client = useClient()
  const offerUndo = use(Undo)
  return async (topicKey, identifier) => {
    const failedWith = (problems: readonly Problem[]) => {
      if (problems.length > 0) showProblems(problems)
      return problems.length > 0
    }
    const address = { topicKey, identifier }
    const { data, error } = await client.query(removedSubscriptionQuery, address, { requestPolicy: 'network-only' })
    if (error !== undefined) return !failedWith([problemOf(error)])
    const removed = data?.topicSubscription
    if (!removed) return true
    const { subscriberId } = removed.subscriber
    const deletion = await sendAct(client, deleteTopicSubscriptionsMutation, {
      topicKey,
      subscriptions: [{ identifier }],
    })
    if (failedWith(deletion.ok ? (deletion.payload.failed ?? []) : deletion.problems)) return false

    const restore = async () => {
      const outcome = await sendAct(client, restoreTopicSubscriptionMutation, {
        topicKey,
        subscriptions: [{ subscriberId, identifier, name: removed.name }],
        contexts: contextInputs(removed.contextKeys),
        preferences: removed.preferences.map(storedPreferenceInput),
      })
      if (failedWith(outcome.ok ? (outcome.payload.failed ?? []) : outcome.problems)) return
      showDone(`${subscriberId} is subscribed to ${topicKey} again.`)
    }
    offerUndo(`${subscriberId} is no longer subscribed to ${topicKey}.`, () => void restore())
    return true
  }
}
