// The types of steps: what they are called, what they do, and how they look.
import {
  IconBell,
  IconBellRinging,
  IconClock,
  IconDeviceMobile,
  IconMail,
  IconMessages,
  IconStack2,
  IconTool,
  type TablerIcon,
} from '@tabler/icons-react'
import type { StepType } from './step-values.ts'

interface StepTypeLook {
  readonly label: string
  readonly description: string
  readonly icon: TablerIcon
}

export const stepTypes = {
  IN_APP: { label: 'In-app', description: 'Adds a notification to the feed', icon: IconBell },
  EMAIL: { label: 'Email', description: 'Sends an email', icon: IconMail },
  SMS: { label: 'SMS', description: 'Sends a text message', icon: IconDeviceMobile },
  CHAT: { label: 'Chat', description: 'Sends a chat message', icon: IconMessages },
  PUSH: { label: 'Push', description: 'Sends a notification to devices', icon: IconBellRinging },
  TOOL: { label: 'Tool', description: 'Sends to an incident tool or a webhook', icon: IconTool },
  DELAY: { label: 'Delay', description: 'Waits before the next step', icon: IconClock },
  DIGEST: { label: 'Digest', description: 'Waits and collects triggers into one', icon: IconStack2 },
} as const satisfies Record<StepType, StepTypeLook>

/** The types in the order in which a menu offers them. */
export const stepTypeList = Object.keys(stepTypes) as StepType[]
