// Routes of triggers in the client's words.
import { eventRoutes } from '../../../routes/event.ts'
import { triggerRoutesIn } from '../../../routes/trigger.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { fieldsOfClient, triggerFrom } from '../words/trigger.ts'

export const novuEventRoutes = [
  ...triggerRoutesIn({
    prefix,
    convert: triggerFrom,
    fields: fieldsOfClient,
    ignored: {},
    example: { name: 'welcome', to: 'user-1', payload: { plan: 'pro' }, tenant: 'acme' },
  }),
  ...reuse(prefix, eventRoutes, ['DELETE /v1/events/trigger/{transactionId}']),
]
