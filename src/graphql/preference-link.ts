// Links to preference pages in the graph.
import { createPreferenceLink } from '../domain/link/preference-link.ts'
import { ContextInput, readContexts } from './context.ts'
import { mutationField, part } from './schema/mutation.ts'
import { byDefault } from './schema/wording.ts'
import { namedSubscriber } from './subscriber.ts'

mutationField('createPreferenceLink', {
  description:
    'Creates a link to the preference page of a subscriber, such as for an account page. The link has no expiry, and anyone who has it can change the preferences. Fails if the gateway has no public https address.',
  input: (t) => ({
    ...namedSubscriber.fields(t),
    contexts: t.field({ type: [ContextInput], description: `The contexts. ${byDefault('without context')}` }),
  }),
  resolver: createPreferenceLink,
  decode: ({ contexts, ...given }) => ({ ...namedSubscriber.decode(given), context: readContexts(contexts) }),
  payload: {
    url: (t) => part(t, 'String', 'The URL of the page.', ({ url }) => url),
  },
})
