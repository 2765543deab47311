// The dialog that asks for another sign-in above the page, which keeps its edits meanwhile.
import { Button, Modal, Stack, Text } from '@mantine/core'
import type { Problem } from '../graph/problem.ts'
import { openEnvironment } from './environments.ts'
import { closeSession } from './open-session.ts'
import type { Session } from './session.ts'
import { KeyForm } from './sign-in.tsx'

export function SessionEnded({ session }: { readonly session: Session }) {
  /** The key may be of another environment, which can open this one only with the access ADMIN. */
  const reopen = async (opened: Session): Promise<Problem | undefined> => {
    if (opened.environmentId === session.environmentId) return undefined
    return openEnvironment(session.slug, opened.access === 'ADMIN' ? opened : undefined)
  }
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Sign in again"
      // Above the dialogs of the page.
      zIndex={1000}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text size="sm">
          The session for {session.environmentName} has ended. Sign in again. The page continues where it was, with your
          changes.
        </Text>
        <KeyForm onDone={reopen} />
        <Button variant="subtle" onClick={() => void closeSession(session)}>
          Sign out
        </Button>
      </Stack>
    </Modal>
  )
}
