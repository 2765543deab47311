// Deletion of all subscribers and of all topic subscriptions that match a filter, in the graph.
import { type DeletedAll, MAX_DELETION_COUNT, MAX_DELETED } from '../domain/resolver/deletion.ts'
import { deleteMatchingTopicSubscriptions } from '../domain/unsubscribe.ts'
import { deleteSubscribers } from '../engine/erasure/delete-subscribers.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { mutationField, part, type PayloadFields } from './schema/mutation.ts'
import { byDefault } from './schema/wording.ts'
import { subscriberConditions } from './subscriber.ts'
import { subscriptionConditions } from './topic-subscription.ts'

/** The parts of a payload that say how many objects were deleted. */
const deletedParts = (nouns: string) => ({
  deletedCount: (t: PayloadFields<DeletedAll>) =>
    part(
      t,
      'Int',
      `The number of ${nouns} that were deleted. In a dry run, the number of ${nouns} that would be.`,
      ({ deleted }) => deleted,
    ),
  remainingCount: (t: PayloadFields<DeletedAll>) =>
    part(
      t,
      'Int',
      `The number of matching ${nouns} that are left, counted up to ${MAX_DELETION_COUNT}. Repeat the call until it is 0. In a dry run, all that match.`,
      ({ remaining }) => remaining,
    ),
})

const dryRunField = (t: InputFields, nouns: string) =>
  t.boolean({
    description: `True counts the ${nouns}, up to ${MAX_DELETION_COUNT}, and deletes none. ${byDefault('false')}`,
  })

const portions = `One call deletes at most ${MAX_DELETED}, oldest first: repeat it until \`remainingCount\` is 0. It works in portions, so other requests do not wait. If it is interrupted, the same call continues.`

const DeleteSubscribersFilter = builder.inputType('DeleteSubscribersFilter', {
  description: 'Filters a list of subscribers. All conditions must match. A null condition is ignored.',
  fields: subscriberConditions,
})

mutationField('deleteSubscribers', {
  description: `Deletes all matching subscribers, each as \`deleteSubscriber\` does. ${portions}`,
  input: (t) => ({
    filter: t.field({
      type: DeleteSubscribersFilter,
      required: true,
      description: 'Selects the subscribers. At least one field is required.',
    }),
    dryRun: dryRunField(t, 'subscribers'),
  }),
  resolver: deleteSubscribers,
  payload: deletedParts('subscribers'),
})

const DeleteTopicSubscriptionsFilter = builder.inputType('DeleteTopicSubscriptionsFilter', {
  description: 'Filters a list of topic subscriptions. All conditions must match. A null condition is ignored.',
  fields: subscriptionConditions,
})

mutationField('deleteMatchingTopicSubscriptions', {
  description: `Deletes all matching topic subscriptions. ${portions}`,
  input: (t) => ({
    filter: t.field({
      type: DeleteTopicSubscriptionsFilter,
      required: true,
      description: 'Selects the topic subscriptions. At least one field is required.',
    }),
    dryRun: dryRunField(t, 'topic subscriptions'),
  }),
  resolver: deleteMatchingTopicSubscriptions,
  payload: deletedParts('topic subscriptions'),
})
