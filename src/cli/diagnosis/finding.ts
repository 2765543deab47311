// The findings of `doctor`.
import { z } from 'zod'

const finding = z.object({
  check: z.string(),
  status: z.enum(['ok', 'warning', 'problem', 'skipped']),
  /** The problem, and its solution. */
  message: z.string(),
})

export type Finding = Readonly<z.infer<typeof finding>>

/** The name of the request for a running process's findings. */
export const DIAGNOSIS = 'diagnosis'

/** The answer of the running process. */
export const diagnosisResult = z.object({
  findings: z.array(finding),
  /** The id of the key with which the process encrypts. */
  key: z.object({ id: z.string(), checkValue: z.string().optional() }),
})

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
export const warning = (check: string, message: string): Finding => ({ check, status: 'warning', message })
export const problem = (check: string, message: string): Finding => ({ check, status: 'problem', message })
export const skipped = (check: string, message: string): Finding => ({ check, status: 'skipped', message })
