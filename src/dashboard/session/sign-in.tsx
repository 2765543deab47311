// The sign-in page, which opens a session with an API key or the code in a link.
import { Button, Center, Code, Container, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { type ReactNode, type SyntheticEvent, useState } from 'react'
import type { Problem } from '../graph/problem.ts'
import { useUnsaved } from '../parts/form/unsaved.ts'
import { ProblemAlert } from '../parts/problem-alert.tsx'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'

interface SignInProps {
  /** Why the user must sign in. */
  readonly problem?: Problem | undefined
  /** Receives the session. @returns what is still wrong */
  readonly onDone?: (session: Session) => Promise<Problem | undefined>
  /** What else the user can do. */
  readonly children?: ReactNode
}

export function SignIn({ problem: initial, onDone, children }: SignInProps) {
  useDocumentTitle('Sign in · Notification gateway')
  return (
    <Container component="main" size="xs" py="10vh">
      <Stack gap="lg">
        <Center>
          <Group gap="xs">
            <IconBell aria-hidden />
            <Title order={1} size="h2">
              Notification gateway
            </Title>
          </Group>
        </Center>
        <Paper withBorder p="lg">
          <KeyForm initial={initial} onDone={onDone} />
        </Paper>
        <Text size="sm" c="dimmed" ta="center">
          No key at hand? Run <Code>npx notification-gateway login</Code> where the gateway runs, and open the link that
          it prints.
        </Text>
        {children}
      </Stack>
    </Container>
  )
}

interface KeyFormProps {
  readonly initial?: Problem | undefined
  /** Receives the session. @returns what is still wrong */
  readonly onDone?: ((session: Session) => Promise<Problem | undefined>) | undefined
}

/** The form for an API key, which signs in or adds an environment to the tab. */
export function KeyForm({ initial, onDone }: KeyFormProps) {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(initial)
  const [pending, setPending] = useState(false)

  useUnsaved(() => key !== '' && !pending)
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    setPending(true)
    const opening = await openSession({ apiKey: key.trim().replace(/^ApiKey\s+/i, '') })
    const found = opening.session === undefined ? opening.problem : await onDone?.(opening.session)
    setPending(false)
    setProblem(found)
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <PasswordInput
          label="API key"
          description="The key opens a session of twelve hours, or a day while you use it. The browser does not store the key."
          autoComplete="off"
          required
          data-autofocus
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        {problem && <ProblemAlert problem={problem} />}
        <Button type="submit" loading={pending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
