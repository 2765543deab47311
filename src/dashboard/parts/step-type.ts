// The types of steps: their names and icons.
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

type StepType = ReturnType<typeof graphql.scalar<'StepType'>>
type Channel = ReturnType<typeof graphql.scalar<'Channel'>>

export const stepTypes = {
  IN_APP: { label: 'In-app', icon: IconBell },
  EMAIL: { label: 'Email', icon: IconMail },
  SMS: { label: 'SMS', icon: IconMessage },
  CHAT: { label: 'Chat', icon: IconMessages },
  PUSH: { label: 'Push', icon: IconDeviceMobile },
  TOOL: { label: 'Tool', icon: IconTool },
  DELAY: { label: 'Delay', icon: IconClock },
  DIGEST: { label: 'Digest', icon: IconStack2 },
} as const satisfies Record<StepType | Channel, { readonly label: string; readonly icon: TablerIcon }>
