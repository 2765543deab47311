// The types of steps: their names, what they do, and their icons.
import {
  IconBell,
  IconClock,
  IconDeviceMobile,
  IconMail,
  IconMessage,
  IconMessages,
  IconStack2,
  IconTool,
  type TablerIcon,
} from '@tabler/icons-react'
import type { graphql } from '../graph/graphql.ts'
import { channelLabels } from './channel-labels.ts'

export type StepType = ReturnType<typeof graphql.scalar<'StepType'>>

interface StepTypeLook {
  readonly label: string
  readonly description: string
  readonly icon: TablerIcon
}

/** The types in the order of the menu. */
export const stepTypes = {
  IN_APP: { label: channelLabels.IN_APP, description: 'Adds a notification to the feed', icon: IconBell },
  EMAIL: { label: channelLabels.EMAIL, description: 'Sends an email', icon: IconMail },
  SMS: { label: channelLabels.SMS, description: 'Sends a text message', icon: IconMessage },
  CHAT: { label: channelLabels.CHAT, description: 'Sends a chat message', icon: IconMessages },
  PUSH: { label: channelLabels.PUSH, description: 'Sends a push notification to devices', icon: IconDeviceMobile },
  TOOL: { label: channelLabels.TOOL, description: 'Sends to an incident tool or a webhook', icon: IconTool },
  DELAY: { label: 'Delay', description: 'Waits before the next step', icon: IconClock },
  DIGEST: { label: 'Digest', description: 'Waits and combines triggers into one', icon: IconStack2 },
} as const satisfies Record<StepType, StepTypeLook>
