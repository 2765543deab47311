// The search across nouns in the graph.
import { DEFAULT_FOUND, MAX_FOUND, search } from '../../domain/trigger/search.ts'
import { Integration } from '../integration.ts'
import { builder } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { queryField } from '../schema/query.ts'
import { byDefault } from '../schema/wording.ts'
import { Subscriber } from '../subscriber.ts'
import { Topic } from '../topic.ts'
import { Workflow } from '../workflow.ts'
import { Event } from './event.ts'

const types = [Subscriber, Workflow, Event, Topic, Integration] as const

const SearchResult = builder.unionType('SearchResult', {
  description: 'An object that a search finds.',
  types: [...types],
  resolveType(found) {
    if ('transactionId' in found) return Event
    if ('subscriberId' in found) return Subscriber
    if ('providerId' in found) return Integration
    return 'key' in found ? Topic : Workflow
  },
})

queryField('search', {
  description:
    'Finds subscribers by a part of their subscriberId, email address, phone number or name, workflows and integrations by a part of the identifier or name, topics by a part of the key or name, and events by the exact transaction id. Case-insensitive, except for transaction ids. Without three letters or digits in a row, the text must be the beginning of a field. In this order: subscribers, workflows, events, topics, integrations. Of each, the one with exactly this id, identifier or key is first, and others are newest first. What the caller may not read is left out.',
  type: [SearchResult],
  complexity: usualLength(DEFAULT_FOUND * types.length),
  args: (arg) => ({
    query: arg.string({ required: true, description: 'The text: 1 to 255 characters. Trimmed.' }),
    first: arg.int({
      description: `The maximum number of results of each type: 1 to ${MAX_FOUND}. ${byDefault(String(DEFAULT_FOUND))}`,
    }),
  }),
  resolver: search,
})
