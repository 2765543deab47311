// Changes of the preferences of many subscribers.
import { type FailedChange, MAX_CHANGES, updatePreferences } from '../domain/preference/preference-bulk.ts'
import { Refusal } from '../lib/errors.ts'
import { ContextInput } from './context.ts'
import { ChannelPreferenceInput } from './channel-preference.ts'
import { SubscriberPreferences } from './preference.ts'
import { builder } from './schema/builder.ts'
import { located, mutationField, part, UserError, userErrorsOf } from './schema/mutation.ts'
import { byDefault, identifierOf, keyOf } from './schema/wording.ts'
import { namedSubscriber } from './subscriber.ts'

const names: Readonly<Record<string, string>> = { workflowId: 'workflowIdentifier' }
const nameInGraph = (key: string | number) => (typeof key === 'string' ? (names[key] ?? key) : key)

const PreferenceFailure = builder.objectRef<FailedChange>('PreferenceFailure').implement({
  description: 'An item of `updatePreferences` that failed. Other items are not affected.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'The position of the item in the input, starting at 0.' }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of the item. Null if the item has no valid subscriberId.',
    }),
    errors: t.field({
      type: [UserError],
      description: 'The errors. `field` is the path in the item.',
      resolve: ({ refusal }) => userErrorsOf(located(refusal, (path) => path.map(nameInGraph))) ?? [],
    }),
  }),
})

const PreferenceChangeInput = builder.inputType('PreferenceChangeInput', {
  description: 'A change of the preferences of a subscriber under an exact set of contexts.',
  fields: (t) => ({
    ...namedSubscriber.fields(t),
    contexts: t.field({ type: [ContextInput], description: `The contexts. ${byDefault('without context')}` }),
    workflowIdentifier: t.string({ description: `${identifierOf('workflow')} ${byDefault('all workflows')}` }),
    categoryKey: t.string({ description: `${keyOf('category')} Not together with a workflow.` }),
    enabled: t.boolean({
      description:
        'True to turn notifications on, false to turn them off. For a workflow or a category, true takes precedence even if notifications are off globally. Null leaves the setting unchanged.',
    }),
    channels: t.field({
      type: [ChannelPreferenceInput],
      description: 'The preferences for channels. Channels not listed do not change.',
    }),
  }),
})

/** Converts an item to the domain's input. An item with an invalid node id fails alone. */
function readChange({ workflowIdentifier, channels, ...given }: typeof PreferenceChangeInput.$inferInput) {
  try {
    return {
      ...namedSubscriber.decode(given),
      workflowId: workflowIdentifier,
      channels: channels && Object.fromEntries(channels.map(({ channel, enabled }) => [channel, enabled ?? null])),
    }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

mutationField('updatePreferences', {
  description: `Updates the preferences of many subscribers, with 1 to ${MAX_CHANGES} items: each like \`updateSubscriberPreferences\`, in order. An item that is invalid, or whose subscriber or workflow does not exist, does not affect the others.`,
  input: (t) => ({
    preferences: t.field({
      type: [PreferenceChangeInput],
      required: true,
      description: `1 to ${MAX_CHANGES} changes. A subscriber may occur several times.`,
    }),
    allOrNothing: t.boolean({
      description: `True writes nothing if an item fails, and returns the error of the first one. ${byDefault('false')}`,
    }),
  }),
  resolver: updatePreferences,
  decode: ({ preferences, allOrNothing }) => ({
    allOrNothing,
    preferences: preferences.map(readChange),
  }),
  locate: (path) => path.map((key) => (typeof key === 'string' ? (names[key] ?? key) : key)),
  payload: {
    preferences: (t) =>
      part(
        t,
        [SubscriberPreferences],
        'The preferences of each subscriber under each set of contexts, in the order of the items that succeeded.',
        ({ preferences }) => preferences,
      ),
    failed: (t) => part(t, [PreferenceFailure], 'The items that failed.', ({ failed }) => failed),
    notes: (t) =>
      part(
        t,
        ['String'],
        'Sentences about what has no effect, such as a preference for a critical workflow.',
        ({ notes }) => notes,
      ),
  },
})
