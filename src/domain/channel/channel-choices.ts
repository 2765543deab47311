// Choices by channel, as categories, workflows and preferences have them.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import { jsonColumn } from './stored-json.ts'

/** Choices by channel. A channel that is absent has no choice. */
export const channelChoices = z.partialRecord(z.enum(Channel), z.boolean())
export type ChannelChoices = z.output<typeof channelChoices>

/** Reads the channel choices of a category, a workflow or a preference. */
export const storedChoices = jsonColumn<ChannelChoices>()
