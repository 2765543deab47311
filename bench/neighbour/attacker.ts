// The attacking process of the neighbor benchmark: sends the requests of attacks until it is stopped.
import { Pool } from 'undici'
import { type AttackRequest, attacksOf } from './attacks.ts'

/** Connections of each attack. */
const CONNECTIONS = 4
/** A stopped attacker does not wait for its requests. No request lasts longer than this, in milliseconds. */
const TIMEOUT = 60_000

export interface Assignment {
  readonly address: string
  readonly key: string
  readonly publicIdentifier: string
  /** The names of the attacks. */
  readonly attacks: readonly string[]
  /** True to send the preparations instead of the attacks. */
  readonly preparing: boolean
}

/** The number of answers by status. */
export type Answers = Readonly<Record<string, number>>

/** Sends one request. @returns the status, or the code of the error. */
async function send(pool: Pool, key: string, { path, body, authorization }: AttackRequest): Promise<string> {
  try {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', authorization: authorization ?? `ApiKey ${key}` },
      body,
    })
    await response.body.dump()
    return String(response.statusCode)
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
}

async function work({ address, key, publicIdentifier, attacks, preparing }: Assignment): Promise<void> {
  const answers: Record<string, number> = {}
  const stopping = new AbortController()
  process.on('message', () => {
    stopping.abort()
    process.send?.(answers, () => process.exit(0))
  })
  const chosen = attacksOf(publicIdentifier).filter(({ name }) => attacks.includes(name))
  const pools = chosen.map(() => {
    return new Pool(address, { connections: CONNECTIONS, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT })
  })
  const note = (answer: string) => {
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  await Promise.all(
    chosen.flatMap(({ preparation, requests }, index) => {
      const pool = pools[index]
      if (pool === undefined) return []
      if (preparing) {
        return [
          (async () => {
            for (const request of preparation) note(await send(pool, key, request))
          })(),
        ]
      }
      return Array.from({ length: CONNECTIONS }, async (_, connection) => {
        for (let turn = connection; !stopping.signal.aborted; turn += 1) {
          const request = requests[turn % requests.length]
          if (request !== undefined) note(await send(pool, key, request))
        }
      })
    }),
  )
  if (!stopping.signal.aborted) process.send?.(answers, () => process.exit(0))
}

process.once('message', (assignment: Assignment) => void work(assignment))
