// Inbound texts and the answers to them in the graph.
import { integration } from '../domain/integration.ts'
import {
  inboundText,
  inboundTexts,
  type StoredText as StoredTextRow,
  TEXTS_KEPT_FOR,
} from '../domain/suppression/inbound-text.ts'
import {
  MAX_ANSWER,
  MAX_WORDS,
  setTextReplies,
  standardWords,
  textReplies,
  type TextReplies as TextRepliesValue,
} from '../domain/suppression/text-replies.ts'
import { Integration } from './integration.ts'
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { codeEnum } from './schema/code-enum.ts'
import { connectionOf, createdFields, listArgs } from './schema/connection.ts'
import { mutationField, part } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { edge, queryList } from './schema/query.ts'
import { anyOfThe, byDefault, createdAt, identifierOf, newestFirst, updatedAt } from './schema/wording.ts'

const shownWords = (words: readonly string[]) => words.map((word) => `\`${word.toUpperCase()}\``).join(', ')

const TextKeyword = codeEnum('TextKeyword', 'What a text message asks for.', {
  stop: `No further messages: ${shownWords(standardWords.stop)}, or another word of the integration.`,
  start: `Messages again: ${shownWords(standardWords.start)}, or another word of the integration.`,
  help: `Help: ${shownWords(standardWords.help)}.`,
})

const keywords = ['stop', 'start', 'help'] as const

const InboundText = builder.objectRef<StoredTextRow>('InboundText')
defineNode(InboundText, {
  description: `A text message that a person sent to a number of an integration. Kept for ${TEXTS_KEPT_FOR} days.`,
  resolver: inboundText,
  fields: (t) => ({
    from: t.exposeString('fromNumber', { description: 'The number of the person, in E.164 format.' }),
    to: t.exposeString('toNumber', { description: 'The number that the person wrote to.' }),
    text: t.exposeString('text', { description: 'The text.' }),
    keyword: t.field({
      type: TextKeyword,
      nullable: true,
      description: 'What the text asks for. Null if its whole text is no keyword.',
      resolve: ({ keyword }) => keywords.find((one) => one === keyword) ?? null,
    }),
    integrationIdentifier: t.exposeString('integrationIdentifier', { description: identifierOf('integration') }),
    integration: edge(t, {
      description: 'The integration. Null if it was deleted.',
      type: Integration,
      nullable: true,
      resolver: integration,
      decode: ({ integrationId }) => ({ id: integrationId }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('inbound text') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('inbound text') }),
  }),
})

queryList('inboundTexts', {
  description: `The text messages that people sent. ${newestFirst}`,
  connection: connectionOf(InboundText, 'A page of text messages that people sent.'),
  args: listArgs('InboundText', (t) => ({
    from: t.string({ description: 'The exact number of the person, in any spelling.' }),
    integrationIdentifier: t.string({ description: identifierOf('integration') }),
    integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
    ...createdFields(t),
  })),
  resolver: inboundTexts,
})

const TextReplies = builder.objectRef<TextRepliesValue>('TextReplies').implement({
  description: 'The further keywords that an integration of text messages understands, and what it answers.',
  fields: (t) => ({
    stopWords: t.exposeStringList('stopWords', { description: 'Further words that mean `STOP`, in lower case.' }),
    startWords: t.exposeStringList('startWords', { description: 'Further words that mean `START`, in lower case.' }),
    stopText: t.exposeString('stopText', {
      nullable: true,
      description: 'The answer to `STOP`, unless the provider has answered. Null if nothing is answered.',
    }),
    startText: t.exposeString('startText', {
      nullable: true,
      description: 'The answer to `START`, unless the provider has answered. Null if nothing is answered.',
    }),
    helpText: t.exposeString('helpText', {
      nullable: true,
      description: 'The answer to `HELP`, unless the provider has answered. Null if nothing is answered.',
    }),
  }),
})

builder.objectField(Integration, 'textReplies', (t) =>
  edge(t, {
    description: 'The keywords and answers of an integration of text messages. Null for other channels.',
    type: TextReplies,
    nullable: true,
    resolver: textReplies,
    decode: ({ id }) => ({ id }),
  }),
)

const usedIntegration = addressOf(
  Integration,
  { integrationIdentifier: 'The identifier of an integration of text messages.' },
  'integrationId',
)

const replyInputs = (t: InputFields) => ({
  stopWords: t.stringList({
    description: `Further words that mean \`STOP\`: at most ${MAX_WORDS}, case-insensitive. ${byDefault('none')}`,
  }),
  startWords: t.stringList({
    description: `Further words that mean \`START\`: at most ${MAX_WORDS}, case-insensitive. ${byDefault('none')}`,
  }),
  stopText: t.string({ description: `The answer to \`STOP\`: at most ${MAX_ANSWER} characters. ${byDefault('none')}` }),
  startText: t.string({
    description: `The answer to \`START\`: at most ${MAX_ANSWER} characters. ${byDefault('none')}`,
  }),
  helpText: t.string({ description: `The answer to \`HELP\`: at most ${MAX_ANSWER} characters. ${byDefault('none')}` }),
})

mutationField('setTextReplies', {
  description: 'Replaces the keywords and answers of an integration of text messages.',
  input: (t) => ({ ...usedIntegration.fields(t), ...replyInputs(t) }),
  resolver: setTextReplies,
  decode: usedIntegration.decode,
  payload: { textReplies: (t) => part(t, TextReplies, 'The keywords and answers.', ({ replies }) => replies) },
})
