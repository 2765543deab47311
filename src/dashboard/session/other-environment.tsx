// Opens the environment that the address names, or asks for an API key of it.
import { Anchor, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Problem } from '../graph/problem.ts'
import { Loading } from '../parts/loading.tsx'
import { addressOf, openAddress } from './address.ts'
import { openEnvironment } from './environments.ts'
import { isLive, type Session, useSessions } from './session.ts'
import { SignIn } from './sign-in.tsx'

interface OtherEnvironmentProps {
  readonly slug: string
  /** The session in the environment to go back to. */
  readonly session: Session
}

export function OtherEnvironment({ slug, session }: OtherEnvironmentProps) {
  const admin = useSessions().find((one) => one.access === 'ADMIN' && isLive(one))
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    let isCurrent = true
    void openEnvironment(slug, admin).then((found) => isCurrent && setProblem(found))
    return () => {
      isCurrent = false
    }
  }, [slug, admin])

  if (problem === undefined) return <Loading />
  // The key may be of a third environment, in which case it opens that one.
  const follow = async (opened: Session) => {
    if (opened.access !== 'ADMIN') openAddress(opened.slug, '')
    return undefined
  }
  return (
    <SignIn problem={problem} onDone={follow}>
      <Text size="sm" ta="center">
        <Anchor href={addressOf(session.slug, '')}>Go to {session.environmentName}</Anchor>
      </Text>
    </SignIn>
  )
}
