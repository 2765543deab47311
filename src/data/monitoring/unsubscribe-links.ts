// Counts the workflows whose templates have unsubscribe links, which need a public https address.
import type { Connection } from '../connection/database.ts'
import { sql } from '../statement/statement.ts'

/** Returns how many workflows of all environments have the variables of unsubscribe links in their steps. */
export async function countLinked(db: Connection): Promise<number> {
  const [counted] = await sql<{ count: number }>(db, 'unsubscribe-links.countLinked')`
    SELECT count(*)::int AS count FROM workflows AS workflow
    JOIN environments AS environment ON environment.id = workflow.environment_id
    WHERE environment.organization_id IS NOT NULL AND NOT workflow.critical
      AND workflow.steps::text ~ 'unsubscribe\\.(url|preferencesUrl)'`
  return counted?.count ?? 0
}
