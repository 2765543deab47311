// Fields of a request that turn channels on and off.
import { z } from 'zod'
import type { Channel } from '../../../../data/prisma/enums.ts'

const isOn = z.boolean().nullish()

export const channelFields = {
  email: isOn,
  sms: isOn,
  in_app: isOn,
  chat: isOn,
  push: isOn,
  tool: isOn,
} as const satisfies Record<Channel, z.ZodType>
