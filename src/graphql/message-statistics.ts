// Message statistics: counts of messages over time, for charts.
import type { MessageCounts } from '../data/monitoring/message-statistics.ts'
import { StatisticsInterval as intervals } from '../data/prisma/enums.ts'
import { type Bucket, MAX_INTERVALS, messageStatistics, MINUTES_KEPT } from '../domain/execution/message-statistics.ts'
import { Channel } from './channel.ts'
import { builder, type ObjectFields } from './schema/builder.ts'
import { usualLength } from './schema/complexity.ts'
import { queryField } from './schema/query.ts'
import { anyOfThe, byDefault, contextsOfCounted, identifierOf } from './schema/wording.ts'

const StatisticsInterval = builder.enumType('StatisticsInterval', {
  description: 'The length of the intervals of statistics. They begin at full minutes, hours and days in UTC.',
  values: {
    MINUTE: { value: intervals.minute, description: `One minute. Available for the last ${MINUTES_KEPT} hours.` },
    HOUR: { value: intervals.hour, description: 'One hour. These counts are kept as long as events are.' },
    DAY: { value: intervals.day, description: 'One day. These counts are kept as long as events are.' },
  } as const,
})

const countFields = (t: ObjectFields<MessageCounts>) => ({
  sent: t.exposeInt('sent', { description: 'Messages that a provider accepted, and notifications in feeds.' }),
  failed: t.exposeInt('failed', {
    description:
      'Messages that failed permanently or after the last attempt, and steps whose message could not be rendered.',
  }),
  cancelled: t.exposeInt('cancelled', { description: 'Messages that were cancelled before they were sent.' }),
  skipped: t.exposeInt('skipped', {
    description:
      'Steps that sent nothing because of a condition, a preference, or a missing integration or destination.',
  }),
})

const ChannelStatistics = builder.objectRef<Bucket['channels'][number]>('ChannelStatistics').implement({
  description: 'Message counts of one channel, by outcome.',
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    ...countFields(t),
  }),
})

const MessageStatistics = builder.objectRef<Bucket>('MessageStatistics').implement({
  description: 'Message counts of one interval, by outcome.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The start of the interval.' }),
    ...countFields(t),
    channels: t.field({
      type: [ChannelStatistics],
      description: 'The counts by channel. Channels without messages are omitted.',
      complexity: usualLength(2),
      resolve: ({ channels }) => [...channels],
    }),
  }),
})

const MessageStatisticsFilter = builder.inputType('MessageStatisticsFilter', {
  description: 'Selects the messages that are counted. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    workflowIdentifier: t.string({ description: identifierOf('workflow') }),
    workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    contextKeys: t.stringList({ description: contextsOfCounted('messages') }),
  }),
})

queryField('messageStatistics', {
  description:
    'Message counts over time, one object for each interval, oldest first. Intervals without messages have zeros. A message is counted when it reaches an outcome. A message that failed and was sent on retry is counted twice: once as failed, once as sent.',
  type: [MessageStatistics],
  complexity: usualLength(168),
  args: (arg) => ({
    from: arg({
      type: 'DateTime',
      required: true,
      description: `A time in the first interval: at most ${MAX_INTERVALS} intervals before \`to\`.`,
    }),
    to: arg({ type: 'DateTime', required: true, description: 'The end of the last interval. Exclusive.' }),
    interval: arg({ type: StatisticsInterval, required: true, description: 'The length of the intervals.' }),
    filter: arg({
      type: MessageStatisticsFilter,
      description: `Selects the messages that are counted. ${byDefault('all messages')}`,
    }),
  }),
  resolver: messageStatistics,
})
