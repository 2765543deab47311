// Short messages about completed actions.
import { notifications } from '@mantine/notifications'
import type { Problem } from '../graph/problem.ts'

export const CLOSE = { closeButtonProps: { 'aria-label': 'Close the message' } }

/** Reports a success. */
export const showDone = (message: string): string => notifications.show({ ...CLOSE, color: 'green', message })

/** Reports a failure that no form can show. The message stays until it is closed. */
export const showProblems = (problems: readonly Problem[]): string =>
  notifications.show({
    ...CLOSE,
    color: 'red',
    title: 'That did not work',
    message: problems.map(({ message }) => message).join('\n'),
    autoClose: false,
  })

/** Reports an error that was thrown. */
export const showFailure = (error: unknown): string =>
  showProblems([{ message: error instanceof Error ? error.message : String(error) }])
