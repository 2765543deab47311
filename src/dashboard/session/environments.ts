// The environments of the organization, which an ADMIN session can open.
import type { Client } from 'urql'
import { createGraphClient } from '../graph/client.ts'
import { graphql } from '../graph/graphql.ts'
import { type Problem, problemOf } from '../graph/problem.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'

export const environmentsQuery = graphql(`
  query Environments($after: String) {
    environments(first: 100, after: $after) {
      nodes {
        id
        name
        color
        slug
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`)

/** Returns the id of the environment with this slug, undefined if there is none, or what went wrong. */
async function idOf(
  client: Client,
  slug: string,
  after: string | null = null,
): Promise<{ readonly id?: string | undefined; readonly problem?: Problem }> {
  const { data, error } = await client.query(environmentsQuery, { after })
  if (error !== undefined) return { problem: problemOf(error) }
  const { nodes = [], pageInfo } = data?.environments ?? {}
  const id = nodes.find((environment) => environment.slug === slug)?.id
  return id === undefined && pageInfo?.hasNextPage === true ? idOf(client, slug, pageInfo.endCursor) : { id }
}

/**
 * Opens a session in the environment with this slug.
 *
 * @param admin the session that opens it. Only ADMIN sessions reach other environments
 * @returns what went wrong, or undefined if the session is open.
 */
export async function openEnvironment(slug: string, admin: Session | undefined): Promise<Problem | undefined> {
  const { id, problem } =
    admin === undefined
      ? {}
      : await idOf(
          createGraphClient(() => admin.authorization),
          slug,
        )
  if (problem !== undefined) return problem
  if (id !== undefined) return (await openSession({ environmentId: id }, admin)).problem
  return { message: `Your session cannot open the environment "${slug}". Enter an API key of it.` }
}
