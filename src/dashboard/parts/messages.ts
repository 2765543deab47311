// Short messages about what was just done.
import { notifications } from '@mantine/notifications'
import type { Problem } from '../graph/problem.ts'

const CLOSE = { closeButtonProps: { 'aria-label': 'Close the message' } }

/** Says that something is done. */
export const showDone = (message: string): string => notifications.show({ ...CLOSE, color: 'green', message })

/** Says what went wrong, when there is no form that could show it. It stays until it is closed. */
export const showProblems = (problems: readonly Problem[]): string =>
  notifications.show({
    ...CLOSE,
    color: 'red',
    title: 'That did not work',
    message: problems.map(({ message }) => message).join('\n'),
    autoClose: false,
  })
