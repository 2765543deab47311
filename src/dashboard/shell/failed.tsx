// What is shown instead of something that could not be shown or loaded: the gateway does not respond, a newer release has
// replaced the files, or it is a defect.
import { Button, Code, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { noAnswer } from '../graph/problem.ts'
import { Loading } from '../parts/loading.tsx'
import { ProblemAlert } from '../parts/problem-alert.tsx'

/** Milliseconds between two requests to a gateway that does not respond. */
const PAUSE = 2_000

/** Returns whether the gateway responds. Undefined until it is known. */
function useGateway(): boolean | undefined {
  const [responds, setResponds] = useState<boolean>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const ask = async () => {
      clearTimeout(timer)
      const page = { headers: { Accept: 'text/html' }, cache: 'no-store' } as const
      const isHere = await fetch(document.baseURI, page).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isOver) return
      setResponds(isHere)
      if (!isHere) timer = setTimeout(() => void ask(), PAUSE)
    }
    const askNow = () => void ask()
    askNow()
    window.addEventListener('online', askNow)
    return () => {
      isOver = true
      clearTimeout(timer)
      window.removeEventListener('online', askNow)
    }
  }, [])
  return responds
}

export function Failed({ error }: { readonly error: unknown }) {
  const responds = useGateway()
  const [wasAway, setWasAway] = useState(false)
  if (responds === false && !wasAway) setWasAway(true)
  useEffect(() => {
    // A browser may keep the failure of a file, so importing it again need not help.
    if (responds === true && wasAway) window.location.reload()
  }, [responds, wasAway])

  if (responds === undefined || (responds && wasAway)) return <Loading />
  if (!responds) return <ProblemAlert problem={noAnswer} onRetry={() => window.location.reload()} />
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={1} size="h3">
        The page could not be shown
      </Title>
      <Text>If the gateway was just updated, reload the page. If the error persists, report it with this text:</Text>
      <Code block>{error instanceof Error ? error.message : String(error)}</Code>
      <Button onClick={() => window.location.reload()}>Reload</Button>
    </Stack>
  )
}
