// Routes of inbound texts and the answers to them.
import { z } from 'zod'
import { inboundTexts, type StoredText } from '../../domain/suppression/inbound-text.ts'
import { setTextReplies } from '../../domain/suppression/text-replies.ts'
import { present } from '../../lib/present.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { dateOf, timestamp, valuesField } from '../views.ts'

const textView = z
  .object({
    _id: z.string(),
    from: z.string().meta({ description: 'Number of the person, in E.164 format.' }),
    to: z.string().meta({ description: 'Number that the person wrote to.' }),
    text: z.string(),
    keyword: z
      .string()
      .optional()
      .meta({ description: '`stop`, `start` or `help`. Absent if the text is no keyword.' }),
    integrationIdentifier: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'InboundText', description: 'A text message that a person sent. Kept for 30 days.' })

const showText = (row: StoredText): z.input<typeof textView> => ({
  _id: row.id,
  from: row.fromNumber,
  to: row.toNumber,
  text: row.text,
  ...present({ keyword: row.keyword }),
  integrationIdentifier: row.integrationIdentifier,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const { input: repliesInput } = setTextReplies.definition

export const inboundTextRoutes = [
  route({
    method: 'get',
    path: '/v2/inbound-texts',
    summary: 'List the text messages that people sent',
    query: pageQuery.extend({
      from: z.string().optional().meta({ description: 'Filter by number. Exact match, in any spelling.' }),
      integrationIdentifier: z.string().optional().meta({ description: 'Filter by integration.' }),
      integrationIdentifiers: valuesField(z.string(), 'integrations, by identifier'),
      createdAfter: timestamp.optional().meta({ description: 'Earliest time of creation.' }),
      createdBefore: timestamp.optional().meta({ description: 'Time before which the text was received.' }),
    }),
    resolver: inboundTexts,
    input: ({ query: { from, integrationIdentifier, integrationIdentifiers, ...query } }) => {
      const { createdAfter, createdBefore, ...page } = query
      const created = { createdAfter: dateOf(createdAfter), createdBefore: dateOf(createdBefore) }
      return { ...pageOfQuery(page), filter: { from, integrationIdentifier, integrationIdentifiers, ...created } }
    },
    statuses: [200],
    response: pageSchema(textView),
    view: (page, scope) => showPage(scope, page, showText),
  }),
  route({
    method: 'put',
    path: '/v1/integrations/{identifier}/text-replies',
    summary: 'Replace the keywords and answers of an integration of text messages',
    example: { stopText: 'You will receive no more messages.', helpText: 'Orders of Acme: acme.example.com/help' },
    params: z.object({ identifier: z.string().meta({ description: 'Identifier of the integration.' }) }),
    body: repliesInput.omit({ integrationIdentifier: true, integrationId: true }),
    resolver: setTextReplies,
    input: ({ params, body }) => ({ ...body, integrationIdentifier: params.identifier }),
    statuses: [200],
    response: z.object({
      stopWords: z.array(z.string()),
      startWords: z.array(z.string()),
      stopText: z.string().optional(),
      startText: z.string().optional(),
      helpText: z.string().optional(),
    }),
    view: ({ replies: { stopWords, startWords, stopText, startText, helpText } }) => ({
      stopWords: [...stopWords],
      startWords: [...startWords],
      ...present({ stopText, startText, helpText }),
    }),
  }),
]
