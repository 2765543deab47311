// The sign-in page: an API key opens a session.
import { Alert, Button, Center, Code, Container, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { type SyntheticEvent, useState } from 'react'
import type { Problem } from '../graph/problem.ts'
import { openWithKey } from './open-session.ts'

export function SignIn() {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [pending, setPending] = useState(false)

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    setPending(true)
    setProblem(await openWithKey(key))
    setPending(false)
  }

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
          <form onSubmit={(event) => void submit(event)}>
            <Stack>
              <PasswordInput
                label="API key"
                description="The key opens a session of twelve hours. The browser does not store the key."
                autoComplete="off"
                required
                data-autofocus
                value={key}
                onChange={(event) => setKey(event.currentTarget.value)}
              />
              {problem && (
                <Alert color="red" role="alert">
                  {problem.message}
                </Alert>
              )}
              <Button type="submit" loading={pending}>
                Sign in
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text size="sm" c="dimmed" ta="center">
          No key at hand? Run <Code>npx notification-gateway login</Code> where the gateway runs, and open the link that
          it prints.
        </Text>
      </Stack>
    </Container>
  )
}
