// The setting of an environment that allows unsigned sessions, in the graph.
import type { Environment } from '../../domain/access/environment.ts'
import type { InputFields } from '../schema/builder.ts'
import { keepsIt } from '../schema/wording.ts'

const meaning =
  'browsers may open sessions without a hash. Anyone can then read and mark the notifications of any subscriber.'

/** The field of an environment. */
export const shownUnsignedSessions = {
  description: `True if ${meaning}`,
  resolve: ({ allowsUnsignedSessions }: Pick<Environment, 'allowsUnsignedSessions'>) => allowsUnsignedSessions,
} as const

/** The fields of an input that changes the setting. */
export const unsignedSessionInput = (t: InputFields) => ({
  allowsUnsignedSessions: t.boolean({ description: `True if ${meaning} ${keepsIt}` }),
  confirmUnsignedSessions: t.boolean({
    description: 'Must be true to allow unsigned sessions in a `PROD` environment.',
  }),
})
