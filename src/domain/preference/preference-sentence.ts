// Sentences about preferences that turn a channel off, for the log of a step.
import type { Category, Workflow } from '../../data/prisma/client.ts'
import { channels } from '../channel/channel.ts'
import type { ChannelPreference } from './preference-rule.ts'

/** Added if a preference without context turned a channel off. */
const INHERITED =
  'The preference was made without context. It applies because notifications are turned off without context and the subscriber has no preference under these contexts.'

interface Named {
  readonly subscriberId: string
  readonly workflow: Pick<Workflow, 'identifier'>
  readonly category: Pick<Category, 'key'> | null
}

/** Returns who turned the channel off, for what. Of a rule that can only turn channels on, an empty text. */
export function sentenceAbout(
  { channel, decidedBy, inherited, turnedOffWhole }: ChannelPreference,
  { subscriberId, workflow: { identifier }, category }: Named,
): string {
  const [who, label] = [`Subscriber "${subscriberId}"`, channels[channel].label]
  const [workflow, ofCategory] = [`the workflow "${identifier}"`, `the category "${category?.key ?? ''}"`]
  const part = turnedOffWhole ? '' : `the ${label} channel of `
  const byDefault = `does not use the ${label} channel by default, and subscriber "${subscriberId}" has no preference.`
  const sentences = {
    critical: '',
    subscriber_workflow: `${who} turned off ${part}${workflow}.`,
    subscriber_category: `${who} turned off ${part}${ofCategory}, to which ${workflow} belongs.`,
    subscriber_global: `${who} turned off ${turnedOffWhole ? 'everything' : `${part}all workflows`}.`,
    category_default: `The category "${category?.key ?? ''}" of ${workflow} ${byDefault}`,
    workflow_default: `The workflow "${identifier}" ${byDefault}`,
  } as const satisfies Record<ChannelPreference['decidedBy'], string>
  return inherited ? `${sentences[decidedBy]} ${INHERITED}` : sentences[decidedBy]
}
